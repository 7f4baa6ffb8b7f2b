#if os(Linux)
    import LatchkeyLocked

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    extension SystemFiles: WatchingFiles {
        /// Watches with `inotify(7)`, using one thread that sleeps in the kernel.
        public func watch(
            _ directory: String, _ tell: @escaping @Sendable (DirectoryChange) -> Void
        ) throws -> any DirectoryWatch {
            let (stopper, stopped) = try Descriptor.stopper()
            let first = try DirectoryInotify.anew(directory)
            let isRunning = DetachedThread.start {
                var source = first
                while source.run(until: stopped, tell) {
                    guard let next = try? DirectoryInotify.anew(directory) else { return tell(.ended) }
                    source = next
                    // What is there now may have been created before the watch began.
                    tell(.everything)
                }
            }
            guard isRunning else { throw FileError.failed(EAGAIN) }
            return SystemDirectoryWatch(stopper)
        }
    }

    /// Ends the thread by closing what it listens to.
    private final class SystemDirectoryWatch: DirectoryWatch {
        private let stopper: Locked<Descriptor?>

        init(_ stopper: Descriptor) { self.stopper = Locked(stopper) }

        deinit { end() }

        func end() {
            stopper.withLock { stopper in
                // Not by writing a byte: that raises SIGPIPE if the thread has already ended by itself.
                if let stopper { shutdown(stopper.number, Int32(SHUT_RDWR)) }
                stopper = nil
            }
        }
    }

    /// Watches on a directory and the directories above it, as they were when this was created.
    private struct DirectoryInotify {
        private static let own = UInt32(
            IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF)
        private static let above = UInt32(IN_DELETE_SELF | IN_MOVE_SELF)
        private static let arrivals = UInt32(IN_CREATE | IN_MOVED_TO)
        // If somebody holds a directory open, its own removal is reported late, but its parent
        // reports it at once.
        private static let departures = UInt32(IN_DELETE | IN_MOVED_FROM)
        private static let ended = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)

        private let queue: Descriptor
        /// The watch on the directory itself; `nil` if it is absent.
        private var watched: Int32?
        /// The name above it that, when it comes or goes, changes what the path leads to.
        private var step = ""

        init(_ directory: String) throws {
            queue = try Descriptor(inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)))
            let parts = directory.split(separator: "/").map(String.init)
            var path = ""
            // From the root down, so that a directory that moves away in the meantime is noticed by its watch.
            for (index, part) in parts.enumerated() {
                let parent = path.isEmpty ? "/" : path
                let isLast = index == parts.count - 1
                path += "/\(part)"
                if isLast { _ = add(parent, Self.above | Self.departures) }
                var found = add(path, isLast ? Self.own : Self.above)
                if Self.isAbsent(found) {
                    // The directory may be created between the two calls.
                    let above = add(parent, Self.above | Self.arrivals)
                    if above < 0, above != -EACCES { throw FileError.failed(-above) }
                    found = add(path, isLast ? Self.own : Self.above)
                }
                step = part
                if Self.isAbsent(found) { return }
                if isLast {
                    guard found >= 0 else { throw FileError.failed(-found) }
                    watched = found
                }
            }
        }

        /// Creates the watches. If a directory above goes away in the meantime, starts again.
        static func anew(_ directory: String) throws -> DirectoryInotify {
            for _ in 0..<100 {
                do { return try DirectoryInotify(directory) } catch FileError.failed(ENOENT) {}
            }
            throw FileError.missing
        }

        private static func isAbsent(_ found: Int32) -> Bool { found == -ENOENT || found == -ENOTDIR }

        /// Returns the number of the watch, or the negative number of the error.
        private func add(_ path: String, _ mask: UInt32) -> Int32 {
            let number = inotify_add_watch(queue.number, path, mask | UInt32(IN_ONLYDIR))
            return number >= 0 ? number : -errno
        }

        /// Reports changes until the watches must be created again (`true`) or are no longer wanted (`false`).
        func run(until stopped: Descriptor, _ tell: (DirectoryChange) -> Void) -> Bool {
            while true {
                var ready = [
                    pollfd(fd: queue.number, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: stopped.number, events: Int16(POLLIN), revents: 0),
                ]
                if poll(&ready, 2, -1) < 0 {
                    if errno == EINTR { continue }
                    return false
                }
                if ready[1].revents != 0 { return false }
                guard let bytes = try? queue.read(65_536) else { continue }
                let (names, isStale) = events(in: bytes)
                for name in names { tell(name.map { .name($0) } ?? .everything) }
                if isStale { return true }
            }
        }

        /// Returns the names that changed, from what the kernel wrote; `nil` stands for all names.
        private func events(in bytes: [UInt8]) -> (names: [String?], isStale: Bool) {
            var names: [String?] = []
            var isStale = false
            bytes.withUnsafeBytes { raw in
                let header = MemoryLayout<inotify_event>.size
                var at = 0
                while at + header <= raw.count {
                    let event = raw.loadUnaligned(fromByteOffset: at, as: inotify_event.self)
                    let text = raw[(at + header)..<min(at + header + Int(event.len), raw.count)].prefix { $0 != 0 }
                    at += header + Int(event.len)
                    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
                        names.append(nil)
                    } else if event.mask & Self.ended != 0 {
                        isStale = true
                    } else {
                        let name = String(decoding: text, as: UTF8.self)
                        if event.wd != watched {
                            isStale = isStale || name == step
                        } else if names.last != name {
                            names.append(name)
                        }
                    }
                }
            }
            return (names, isStale)
        }
    }

    extension Descriptor {
        /// Returns the pair of descriptors that ends the thread.
        fileprivate static func stopper() throws -> (writing: Descriptor, reading: Descriptor) {
            guard let ends = PrivatePair.open() else { throw FileError.last() }
            return (try Descriptor(ends.writing), try Descriptor(ends.reading))
        }
    }
#endif
