#if os(Linux)
    extension SystemFiles: WatchingFiles {
        /// Watches with `inotify(7)`. All watches of the process share one instance, of which a user has 128, and one
        /// thread that sleeps in the kernel and calls every `tell`.
        public func watch(
            _ directory: String, _ tell: @escaping @Sendable (DirectoryChange) -> Void
        ) throws -> any DirectoryWatch {
            try InotifyHub.shared.watch(directory, tell)
        }
    }
#endif
