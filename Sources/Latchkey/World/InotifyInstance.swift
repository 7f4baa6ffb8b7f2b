#if os(Linux)
    import LatchkeySystem

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// An instance of `inotify(7)`, and what ends the thread that reads it.
    final class InotifyInstance: Sendable {
        /// What happened at a watch, or to all of them where `mask` has `IN_Q_OVERFLOW`.
        struct Event {
            var watch: Int32
            var mask: UInt32
            /// The entry of the directory; empty if the directory itself is meant.
            var name: String
        }

        private let queue: Descriptor
        private let stopped: Descriptor
        private let stopper: Locked<Descriptor?>

        /// - Throws: ``FileError`` if the system has none left.
        init() throws {
            guard let ends = PrivatePair.open() else { throw FileError.last() }
            stopper = Locked(try Descriptor(ends.writing))
            stopped = try Descriptor(ends.reading)
            queue = try Descriptor(inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)))
        }

        /// Adds to what is watched of a directory. Returns the number of the watch, the same for every path that leads to the
        /// directory, or the negative number of the error.
        func add(_ path: String, _ mask: UInt32) -> Int32 {
            let number = inotify_add_watch(queue.number, path, mask | UInt32(IN_ONLYDIR) | UInt32(IN_MASK_ADD))
            return number >= 0 ? number : -errno
        }

        /// Gives a watch up.
        func remove(_ number: Int32) { _ = inotify_rm_watch(queue.number, number) }

        /// Ends the thread that reads. Not by writing a byte: that raises SIGPIPE if the thread has already ended by itself.
        func stop() {
            stopper.withLock { stopper in
                if let stopper { shutdown(stopper.number, Int32(SHUT_RDWR)) }
                stopper = nil
            }
        }

        /// Waits for events; `nil` once it was stopped.
        func events() -> [Event]? {
            while true {
                var ready = [
                    pollfd(fd: queue.number, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: stopped.number, events: Int16(POLLIN), revents: 0),
                ]
                if poll(&ready, 2, -1) < 0 {
                    if errno == EINTR { continue }
                    return nil
                }
                if ready[1].revents != 0 { return nil }
                if let bytes = try? queue.read(65_536) { return Self.events(in: bytes) }
            }
        }

        /// Reads what the kernel wrote.
        private static func events(in bytes: [UInt8]) -> [Event] {
            var events: [Event] = []
            bytes.withUnsafeBytes { raw in
                let header = MemoryLayout<inotify_event>.size
                var at = 0
                while at + header <= raw.count {
                    let event = raw.loadUnaligned(fromByteOffset: at, as: inotify_event.self)
                    let text = raw[(at + header)..<min(at + header + Int(event.len), raw.count)].prefix { $0 != 0 }
                    at += header + Int(event.len)
                    events.append(Event(watch: event.wd, mask: event.mask, name: String(decoding: text, as: UTF8.self)))
                }
            }
            return events
        }
    }
#endif
