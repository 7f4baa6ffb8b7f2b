#if os(Linux) && canImport(Glibc)
    import CWipingHeap
    import Glibc
    import Latchkey
    import LatchkeyCurl
    import LatchkeyEncryptedStore
    import LatchkeyOAuth
    import LatchkeyPassphrase

    /// A process that unlocks, uses a token, locks, and looks through its own memory:
    ///
    /// `memory-member ISSUER FOLDER sign-in` makes the vault, signs in and ends; `memory-member ISSUER FOLDER KEY` prints how
    /// often the passphrase, the vault's key and the token are in memory, before and after locking.
    ///
    /// The passphrase comes by standard input and KEY by argument, as hexadecimal digits of bytes of which each is turned by
    /// ``mask``: so that neither is in memory but where the program itself puts it.
    @main struct MemoryMember {
        static let mask: UInt8 = 0xA5

        static func main() async throws {
            guard latchkey_heap_is_wiped() == 1 else {
                print("skipped: the heap is not wiped here")
                return
            }
            let words = CommandLine.arguments
            guard words.count == 4 else { return print("Usage: memory-member ISSUER FOLDER sign-in|KEY") }
            let hidden = masked(readLine() ?? "")
            let unlock = PassphraseUnlock { _ in
                var bytes = hidden.map { $0 ^ mask }
                defer { for index in bytes.indices { bytes[index] = 0 } }
                return Secret(bytes)
            }
            let auth = try AuthClient.Builder()
                .provider(.oauth(issuer: words[1], clientID: "dev-device"))
                .store(.encryptedFile(at: "\(words[2])/vault"))
                .unlock(unlock, reason: "Test")
                .transport(.curl())
                .build()
            try await auth.unlock()
            if words[3] == "sign-in" {
                _ = try await auth.signIn(with: "oauth", .device, asking: Nobody())
                await auth.finish()
                return
            }
            let token = try await use(auth)
            let needles = [("passphrase", hidden), ("key", masked(words[3])), ("token", token)]
            report("before", needles)
            await auth.lock()
            await auth.finish()
            // What a task has just let go is gone when the next ones have run.
            for _ in 1...100 { await Task.yield() }
            report("after", needles)
        }

        /// The token, masked.
        private static func use(_ auth: AuthClient) async throws -> [UInt8] {
            try await auth.accessToken().value.withBytes { $0.map { $0 ^ mask } }
        }

        private static func report(_ word: String, _ needles: [(String, [UInt8])]) {
            let found = needles.map { "\($0.0)=\(OwnMemory.count($0.1))" }
            print("\(word) \(found.joined(separator: " "))")
        }

        private static func masked(_ text: String) -> [UInt8] {
            let digits = text.utf8.map { $0 < 0x3A ? $0 & 15 : ($0 & 15) + 9 }
            return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        }

        /// The service approves by itself.
        private struct Nobody: ChallengePresenter {
            func answer(_ challenge: Challenge) async throws -> Answer {
                while true { try await Task.sleep(for: .seconds(60)) }
            }
        }
    }

    /// This process's memory, as `/proc/self/mem` shows it.
    enum OwnMemory {
        private static let piece = 1 << 20

        /// How often what is behind the mask is in memory that can be written.
        static func count(_ hidden: [UInt8]) -> Int {
            // What is compared stands here alone, and this is left out.
            let size = piece + 2 * 4_096
            guard hidden.count >= 8,
                let own = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                own != MAP_FAILED
            else { return -1 }
            defer {
                memset(own, 0, size)
                munmap(own, size)
            }
            let needle = own.assumingMemoryBound(to: UInt8.self)
            for (index, byte) in hidden.enumerated() { needle[index] = byte ^ MemoryMember.mask }
            let memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
            defer { close(memory) }
            var found = 0
            for (start, end) in regions() where UInt(bitPattern: own) < start || UInt(bitPattern: own) >= end {
                found += count(needle, hidden.count, memory, start, end, own + 4_096)
            }
            return found
        }

        private static func count(
            _ needle: UnsafePointer<UInt8>, _ length: Int, _ memory: Int32, _ start: UInt, _ end: UInt,
            _ buffer: UnsafeMutableRawPointer
        ) -> Int {
            var found = 0
            var place = start
            while place < end {
                let wanted = min(piece, Int(end - place))
                let read = pread(memory, buffer, wanted, off_t(place))
                guard read >= length else { break }
                var rest = buffer
                while read - (rest - buffer) >= length,
                    let hit = memchr(rest, Int32(needle[0]), read - (rest - buffer) - length + 1)
                {
                    if memcmp(hit, needle, length) == 0 { found += 1 }
                    rest = hit + 1
                }
                // One that lies across two pieces is whole in the second.
                place += UInt(read == wanted && read > length && UInt(read) < end - place ? read - length : read)
            }
            return found
        }

        private static func regions() -> [(UInt, UInt)] {
            guard let file = fopen("/proc/self/maps", "r") else { return [] }
            defer { fclose(file) }
            var regions: [(UInt, UInt)] = []
            var line = [CChar](repeating: 0, count: 1_024)
            while fgets(&line, Int32(line.count), file) != nil {
                let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                    .split(separator: " ")
                let ends = words.first?.split(separator: "-").compactMap { UInt($0, radix: 16) } ?? []
                guard ends.count == 2, words.count > 1, words[1].hasPrefix("rw") else { continue }
                regions.append((ends[0], ends[1]))
            }
            return regions
        }
    }
#else
    @main struct MemoryMember {
        static func main() { print("skipped: there is no /proc/self/mem here") }
    }
#endif
