#if os(Linux)
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A directory that is watched by its path: with it, the directories above it, as they were when it was placed.
    struct WatchedDirectory {
        private static let own = UInt32(
            IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF)
        private static let above = UInt32(IN_DELETE_SELF | IN_MOVE_SELF)
        private static let arrivals = UInt32(IN_CREATE | IN_MOVED_TO)
        // If somebody holds a directory open, its own removal is reported late, but its parent
        // reports it at once.
        private static let departures = UInt32(IN_DELETE | IN_MOVED_FROM)
        private static let ended = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)

        private let path: String
        /// The events that count, by the number of the watch: another follower may want more of the same directory.
        private(set) var places: [Int32: UInt32] = [:]
        /// What an earlier placing needed, too. Given up when it is known what others need.
        private(set) var former: Set<Int32> = []
        /// The watch on the directory itself; `nil` if it is absent.
        private var watched: Int32?
        /// The name above it that, when it comes or goes, changes what the path leads to.
        private var step = ""

        init(_ path: String) { self.path = path }

        /// Places the watches. If a directory above goes away in the meantime, starts again.
        mutating func place(on instance: InotifyInstance) throws {
            for _ in 0..<100 {
                former.formUnion(places.keys)
                (places, watched, step) = ([:], nil, "")
                do { return try tryToPlace(on: instance) } catch FileError.failed(ENOENT) {}
            }
            throw FileError.missing
        }

        /// Nothing is left of earlier placings.
        mutating func forgetFormer() { former = [] }

        private mutating func tryToPlace(on instance: InotifyInstance) throws {
            let parts = path.split(separator: "/").map(String.init)
            var path = ""
            // From the root down, so that a directory that moves away in the meantime is noticed by its watch.
            for (index, part) in parts.enumerated() {
                let parent = path.isEmpty ? "/" : path
                let isLast = index == parts.count - 1
                path += "/\(part)"
                if isLast { _ = add(parent, Self.above | Self.departures, to: instance) }
                var found = add(path, isLast ? Self.own : Self.above, to: instance)
                if Self.isAbsent(found) {
                    // The directory may be created between the two calls.
                    let above = add(parent, Self.above | Self.arrivals, to: instance)
                    if above < 0, above != -EACCES { throw FileError.failed(-above) }
                    found = add(path, isLast ? Self.own : Self.above, to: instance)
                }
                step = part
                if Self.isAbsent(found) { return }
                if isLast {
                    guard found >= 0 else { throw FileError.failed(-found) }
                    watched = found
                }
            }
        }

        private static func isAbsent(_ found: Int32) -> Bool { found == -ENOENT || found == -ENOTDIR }

        private mutating func add(_ path: String, _ mask: UInt32, to instance: InotifyInstance) -> Int32 {
            let number = instance.add(path, mask)
            if number >= 0 { places[number, default: 0] |= mask }
            return number
        }

        /// What changed in the directory, and whether its watches must be placed anew.
        func changes(in events: [InotifyInstance.Event]) -> ([DirectoryChange], isStale: Bool) {
            var changes: [DirectoryChange] = []
            for event in events {
                if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
                    changes.append(.everything)
                    continue
                }
                guard let mask = places[event.watch] else { continue }
                if event.mask & Self.ended != 0 { return (changes, true) }
                guard event.mask & mask != 0 else { continue }
                if event.watch == watched {
                    if changes.last != .name(event.name) { changes.append(.name(event.name)) }
                } else if event.name == step {
                    return (changes, true)
                }
            }
            return (changes, false)
        }
    }
#endif
