package import FoundationEssentials
package import Latchkey

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What a lock file says about its holder, for messages only: `pid 4711 (latchkey) 1764000000`.
package struct LockNote {
    /// The process, with its program's name if that is plain text.
    package var holder: String
    /// Since when it holds the lock, by the wall clock.
    package var since: Date?

    /// Returns the note of this process. Without a time it is always the same, and need not be written again.
    package static func own(at time: Date? = nil) -> String {
        guard let program else { return "pid \(getpid())" }
        let seconds = time.map { " \(Int64($0.timeIntervalSince1970))" } ?? ""
        return "pid \(getpid()) (\(program))\(seconds)"
    }

    /// Reads a note from `bytes`; `nil` if they are not one.
    package init?(_ bytes: [UInt8]) {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard (2...4).contains(words.count), words[0] == "pid", Self.isNumber(words[1]) else { return nil }
        holder = "pid \(words[1])"
        guard words.count > 2 else { return }
        guard words[2].first == "(", words[2].last == ")", Self.isName(words[2].dropFirst().dropLast()) else {
            return nil
        }
        holder += " \(words[2])"
        guard words.count > 3 else { return }
        guard Self.isNumber(words[3]), let seconds = Int64(words[3]) else { return nil }
        since = Date(timeIntervalSince1970: Double(seconds))
    }

    /// Returns the holder of the lock with that name, as its note says.
    package static func holder(of name: String, in place: TrustedDirectory?) -> String {
        let note = (try? place?.files.read(name, limit: 64)).flatMap { $0 }
        return note.flatMap(LockNote.init)?.holder ?? "another process"
    }

    private static let program: String? = {
        let path = CommandLine.arguments.first ?? ""
        let name = path.split(separator: "/").last.map { String($0.prefix(32)) } ?? ""
        return isName(name) ? name : nil
    }()

    private static func isNumber(_ text: Substring) -> Bool {
        (1...10).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isName(_ text: some StringProtocol) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || "._+-".utf8.contains($0)
            }
    }
}
