#if os(Linux)
    import Latchkey
    import LatchkeyFileStore
    import LatchkeySystem
    import LatchkeyTesting
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// What a handler saw. Unsafe is right: written by the thread that reads it, to which the signal is sent.
    private enum Piped {
        nonisolated(unsafe) static var count = 0
    }

    @Suite("File store: tells of changes")
    struct FileStoreWatchTests {
        let place: TemporaryDirectory
        let path: String
        let key = StoreKey(.credential, "alice")

        init() throws {
            if let reason = WatchLimit.reached { try Test.cancel("\(reason)") }
            place = try TemporaryDirectory()
            path = "\(place.path)/a/b/store"
        }

        private func store() -> FileStore { FileStore(unencryptedAt: path) }

        @Test("a directory that is made later, with those above it, is watched from its first record on")
        func madeLater() async throws {
            var told = try store().changes().makeAsyncIterator()
            try await store().replace(key, at: nil, with: [1])
            #expect(await told.next() == key)
        }

        @Test("a directory that is removed and made again tells of what went and of what came")
        func madeAgain() async throws {
            let watched = store()
            var version = try await store().replace(key, at: nil, with: [1])
            var told = try watched.changes().makeAsyncIterator()
            _ = try watched.keys(.credential)
            for round in 0..<3 {
                place.empty(path)
                rmdir(path)
                #expect(await told.next() == key)
                version = try await store().replace(key, at: nil, with: [UInt8(round)])
                while try watched.read(key)?.version != version { #expect(await told.next() == key) }
            }
        }

        @Test("a directory that moves away and comes back is followed by its path, also when one above it moves")
        func moved() async throws {
            let watched = store()
            try await store().replace(key, at: nil, with: [1])
            var told = try watched.changes().makeAsyncIterator()
            _ = try watched.keys(.credential)
            for part in ["a/b/store", "a/b", "a"] {
                let (here, there) = ("\(place.path)/\(part)", "\(place.path)/elsewhere")
                #expect(rename(here, there) == 0)
                while let next = await told.next(), next != key {}
                #expect(rename(there, here) == 0)
                let version = try await store().replace(key, at: try store().read(key)?.version, with: [2])
                while try watched.read(key)?.version != version { #expect(await told.next() == key) }
                // Whatever else was told of the move is read before the next one.
                let settled = StoreKey(.settings, part)
                try await store().replace(settled, at: nil, with: [])
                while let next = await told.next(), next != settled {}
            }
        }

        @Test("locks, temporary files, damaged ones and what editors leave are no changes")
        func noise() async throws {
            try await store().replace(key, at: nil, with: [1])
            let watched = store()
            var told = try watched.changes().makeAsyncIterator()
            _ = try watched.keys(.credential)
            let files = SystemFiles()
            for name in [".x.record.swp", "4913", "x.record~", "#x.record#", ".x.record.1.tmp", "x.lane", "z.record"] {
                try files.writeNew("\(path)/\(name)", Array("nothing".utf8))
                try files.rename("\(path)/\(name)", to: "\(path)/\(name).2")
                try files.remove("\(path)/\(name).2")
            }
            await (try store().lock(key, deadline: .zero)).release()
            let other = StoreKey(.credential, "bob")
            try await store().replace(other, at: nil, with: [1])
            #expect(await told.next() == other)
        }

        @Test("a record put in place by other means, a backup, is a change")
        func restored() async throws {
            try await store().replace(key, at: nil, with: [1])
            let files = SystemFiles()
            let record = try #require(try files.list(path).first { $0.hasSuffix(".record") })
            let bytes = try #require(try files.read("\(path)/\(record)", limit: 1 << 20))
            try files.remove("\(path)/\(record)")
            var told = try store().changes().makeAsyncIterator()
            try files.writeNew("\(path)/\(record)", bytes)
            #expect(await told.next() == key)
        }

        @Test("when more happened than the system keeps, every key is told")
        func overflow() async throws {
            let files = LoudFiles()
            let store = FileStore(unencryptedAt: path, context: .testing(files: files))
            let keys = (0..<5).map { StoreKey(.credential, "p\($0)") }
            for key in keys { try await FileStore(unencryptedAt: path).replace(key, at: nil, with: [1]) }
            let stream = try store.changes()
            _ = try store.keys(.credential)
            // One that is gone by then, too.
            let gone = try FileStore(unencryptedAt: path).read(keys[0])?.version
            try await FileStore(unencryptedAt: path).replace(keys[0], at: gone, with: nil)
            files.say(.everything)
            var told: Set<StoreKey> = []
            for await key in stream {
                told.insert(key)
                if told.count == 5 { break }
            }
            #expect(told == Set(keys))
        }

        @Test("a disk that never reports changes says so, and a system without a watch says that it has none now")
        func refused() async throws {
            let simulated = FileStore(unencryptedAt: "/home/alice/store", context: .testing())
            #expect(code { try simulated.changes() } == .configuration(.unsupported))
            let refusing = FileStore(unencryptedAt: path, context: .testing(files: LoudFiles(refusing: true)))
            #expect(code { try refusing.changes() } == .store(.unavailable))
        }

        private func code<Value>(_ work: () throws -> Value) -> AuthError.Code? {
            do { _ = try work() } catch { return (error as? AuthError)?.code }
            return nil
        }

        @Test("a watch that the system takes back ends the stream")
        func takenBack() async throws {
            let files = LoudFiles()
            let store = FileStore(unencryptedAt: path, context: .testing(files: files))
            let stream = try store.changes()
            files.say(.ended)
            for await _ in stream { Issue.record("nothing was expected") }
        }

        @Test("a watch that is placed anew needs no further descriptor, and the last one takes all of them along")
        func noDescriptorLeft() async throws {
            let above = "\(place.path)/above"
            let directory = "\(above)/watched"
            for path in [above, directory] { try #require(mkdir(path, 0o700) == 0) }
            let (told, tell) = AsyncStream.makeStream(of: DirectoryChange.self)
            let before = try descriptors("socket:")
            let watch = try SystemFiles().watch(directory) { tell.yield($0) }
            // What another suite has left open in this process comes and goes meanwhile.
            let own = try descriptors("socket:").subtracting(before)
            var (limit, none) = (rlimit(), rlimit())
            try #require(getrlimit(Self.files, &limit) == 0)
            none = rlimit(rlim_cur: 3, rlim_max: limit.rlim_max)
            try #require(setrlimit(Self.files, &none) == 0)
            let hasMoved = rename(directory, "\(above)/elsewhere") == 0
            let next = await told.first { _ in true }
            try #require(setrlimit(Self.files, &limit) == 0)
            #expect(hasMoved && next == .everything)
            Piped.count = 0
            let handler = signal(SIGPIPE) { _ in Piped.count += 1 }
            watch.end()
            // It would be sent to this thread, while it writes.
            signal(SIGPIPE, handler)
            #expect(Piped.count == 0)
            // The thread has ended when it has closed its own.
            for _ in 0..<12_000 where try !descriptors("socket:").isDisjoint(with: own) {
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(try !own.isEmpty && descriptors("socket:").isDisjoint(with: own))
        }

        @Test("hundreds of directories cost one instance of the system's; each watch hears of its own directory alone")
        func many() async throws {
            let directories = (0..<300).map { "\(place.path)/d\($0)" }
            for directory in directories { try #require(mkdir(directory, 0o700) == 0) }
            let (told, tell) = AsyncStream.makeStream(of: Int.self)
            var watches: [any DirectoryWatch] = []
            for (index, directory) in directories.enumerated() {
                watches.append(try SystemFiles().watch(directory) { _ in tell.yield(index) })
            }
            #expect(try descriptors("anon_inode:inotify").count == 1)
            for index in [7, 299, 0] {
                try SystemFiles().writeNew("\(directories[index])/x", [1])
                #expect(await told.first { _ in true } == index)
            }
            // Those that end take nothing from the others.
            for index in 0..<299 { watches[index].end() }
            try SystemFiles().writeNew("\(directories[5])/y", [1])
            try SystemFiles().writeNew("\(directories[299])/y", [1])
            #expect(await told.first { _ in true } == 299)
            watches[299].end()
        }

        @Test("of a directory in another one, each watch hears its own, also when the inner one goes and comes")
        func nested() async throws {
            let (outer, inner) = ("\(place.path)/outer", "\(place.path)/outer/inner")
            for path in [outer, inner] { try #require(mkdir(path, 0o700) == 0) }
            let (told, tell) = AsyncStream.makeStream(of: String.self)
            let first = try SystemFiles().watch(outer) { tell.yield("outer \($0)") }
            let second = try SystemFiles().watch(inner) { tell.yield("inner \($0)") }
            let third = try SystemFiles().watch(inner) { tell.yield("again \($0)") }
            try SystemFiles().writeNew("\(inner)/x", [1])
            var heard = [await told.first { _ in true }, await told.first { _ in true }]
            #expect(Set(heard) == [#"inner name("x")"#, #"again name("x")"#])
            third.end()
            #expect(rename(inner, "\(place.path)/away") == 0)
            heard = [await told.first { _ in true }, await told.first { _ in true }]
            #expect(Set(heard) == [#"outer name("inner")"#, "inner everything"])
            #expect(rename("\(place.path)/away", inner) == 0)
            heard = [await told.first { _ in true }, await told.first { _ in true }]
            #expect(Set(heard) == [#"outer name("inner")"#, "inner everything"])
            try SystemFiles().writeNew("\(inner)/y", [1])
            #expect(await told.first { $0 != "inner everything" } == #"inner name("y")"#)
            first.end()
            second.end()
        }

        /// The descriptors of this process whose target's name begins with `kind`, as number and target.
        private func descriptors(_ kind: String) throws -> Set<String> {
            let found = try SystemFiles().list("/proc/self/fd").compactMap { number -> String? in
                var target = [UInt8](repeating: 0, count: 64)
                let count = target.withUnsafeMutableBytes { target in
                    target.baseAddress.map { readlink("/proc/self/fd/\(number)", $0, target.count) } ?? -1
                }
                guard count > 0 else { return nil }
                let name = String(decoding: target.prefix(count), as: UTF8.self)
                return name.hasPrefix(kind) ? "\(number) \(name)" : nil
            }
            return Set(found)
        }

        #if canImport(Glibc)
            private static let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            private static let files = RLIMIT_NOFILE
        #endif

        @Test("the watch ends with its last reader, and begins anew with the next")
        func ends() async throws {
            let files = LoudFiles()
            let store = FileStore(unencryptedAt: path, context: .testing(files: files))
            for round in 1...3 {
                var streams = [try store.changes(), try store.changes()]
                #expect(files.counts == (begun: round, ended: round - 1))
                streams.removeLast()
                #expect(files.counts == (begun: round, ended: round - 1))
                streams = []
                #expect(files.counts == (begun: round, ended: round))
            }
        }

        @Test("a stream outlives the store that gave it")
        func outlives() async throws {
            let stream = try store().changes()
            try await store().replace(key, at: nil, with: [1])
            for await told in stream {
                #expect(told == key)
                break
            }
        }
    }

    /// The real disk, with a watch that says what the test says.
    private final class LoudFiles: WatchingFiles, ForwardingFiles {
        private struct State {
            var tell: (@Sendable (DirectoryChange) -> Void)?
            var counts = (begun: 0, ended: 0)
        }

        let inner: any FileAccess = SystemFiles()
        private let isRefusing: Bool
        private let state = Locked(State())

        init(refusing: Bool = false) { isRefusing = refusing }

        var counts: (begun: Int, ended: Int) { state.withLock { $0.counts } }

        func say(_ change: DirectoryChange) { state.withLock { $0.tell }?(change) }

        func watch(
            _ directory: String, _ tell: @escaping @Sendable (DirectoryChange) -> Void
        ) throws -> any DirectoryWatch {
            if isRefusing { throw FileError.failed(EMFILE) }
            state.withLock { state in
                state.tell = tell
                state.counts.begun += 1
            }
            return Ended { self.state.withLock { $0.counts.ended += 1 } }
        }

        private struct Ended: DirectoryWatch {
            let body: @Sendable () -> Void

            init(_ body: @escaping @Sendable () -> Void) { self.body = body }

            func end() { body() }
        }
    }
#endif
