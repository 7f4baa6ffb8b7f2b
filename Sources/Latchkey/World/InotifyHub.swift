#if os(Linux)
    import LatchkeySystem

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The one instance of `inotify(7)` that a process has, while it watches anything, and who is told of its events.
    final class InotifyHub: Sendable {
        static let shared = InotifyHub()

        private typealias Tell = @Sendable (DirectoryChange) -> Void

        private struct Follower {
            var watch: WatchedDirectory
            var tell: Tell
        }

        private struct State {
            var instance: InotifyInstance?
            var followers: [UInt64: Follower] = [:]
            var next: UInt64 = 0

            /// Gives up the watches of `numbers` that no follower needs, and the instance when there is none any more.
            mutating func release(_ numbers: some Sequence<Int32>) {
                for number in numbers where !followers.values.contains(where: { $0.watch.places[number] != nil }) {
                    instance?.remove(number)
                }
                guard followers.isEmpty else { return }
                instance?.stop()
                instance = nil
            }
        }

        private let state = Locked(State())

        /// Calls `tell` for what changes in `directory` from now on.
        ///
        /// - Throws: ``FileError`` if the system has no instance, no watch or no thread left.
        func watch(
            _ directory: String, _ tell: @escaping @Sendable (DirectoryChange) -> Void
        ) throws -> any DirectoryWatch {
            let number = try state.withLock { state in
                let instance = try state.instance ?? begin()
                state.instance = instance
                var watch = WatchedDirectory(directory)
                do { try watch.place(on: instance) } catch {
                    state.release(watch.former.union(watch.places.keys))
                    throw error
                }
                state.next += 1
                let former = watch.former
                watch.forgetFormer()
                state.followers[state.next] = Follower(watch: watch, tell: tell)
                state.release(former)
                return state.next
            }
            return HubWatch(self, number)
        }

        private func begin() throws -> InotifyInstance {
            let instance = try InotifyInstance()
            guard DetachedThread.start({ [self] in run(instance) }) else { throw FileError.failed(EAGAIN) }
            return instance
        }

        /// Tells a follower nothing more. The last one takes the instance with it.
        fileprivate func end(_ number: UInt64) {
            let ended = state.withLock { state -> Follower? in
                guard let follower = state.followers.removeValue(forKey: number) else { return nil }
                state.release(follower.watch.places.keys)
                return follower
            }
            // Let go of here, without the lock: what it held may end another watch.
            _ = ended
        }

        /// Reads events until the instance is stopped. The work of its thread.
        private func run(_ instance: InotifyInstance) {
            while let events = instance.events() {
                let told = state.withLock { state -> [(Tell, [DirectoryChange])] in
                    state.instance === instance ? Self.take(events, instance, &state) : []
                }
                for (tell, changes) in told { for change in changes { tell(change) } }
            }
            // Where nobody has stopped it, it cannot be read any more.
            let left = state.withLock { state -> [Tell] in
                guard state.instance === instance else { return [] }
                defer { (state.instance, state.followers) = (nil, [:]) }
                return state.followers.values.map(\.tell)
            }
            for tell in left { tell(.ended) }
        }

        /// What each follower is to be told. Watches whose directories came, went or moved are placed anew.
        private static func take(
            _ events: [InotifyInstance.Event], _ instance: InotifyInstance, _ state: inout State
        ) -> [(Tell, [DirectoryChange])] {
            var told: [(Tell, [DirectoryChange])] = []
            for number in state.followers.keys.sorted() {
                guard var follower = state.followers[number] else { continue }
                var (changes, isStale) = follower.watch.changes(in: events)
                if isStale {
                    do {
                        try follower.watch.place(on: instance)
                        // What is there now may have been created before the watch began.
                        changes.append(.everything)
                    } catch {
                        changes.append(.ended)
                    }
                    let isOver = changes.last == .ended
                    let former = follower.watch.former.union(isOver ? Set(follower.watch.places.keys) : [])
                    follower.watch.forgetFormer()
                    state.followers[number] = isOver ? nil : follower
                    state.release(former)
                }
                if !changes.isEmpty { told.append((follower.tell, changes)) }
            }
            return told
        }
    }

    /// Ends when its last reference is released.
    private final class HubWatch: DirectoryWatch {
        private let hub: InotifyHub
        private let number: UInt64

        init(_ hub: InotifyHub, _ number: UInt64) { (self.hub, self.number) = (hub, number) }

        deinit { end() }

        func end() { hub.end(number) }
    }
#endif
