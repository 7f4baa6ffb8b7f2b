#if os(Linux)
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The system's limit on directories that are watched at the same time (`inotify(7)`): a number
    /// of queues per user, 128 by default, which an editor and a few builds may use up.
    package enum WatchLimit {
        /// Why nothing can be watched now; `nil` if it can.
        package static var reached: String? {
            let queue = inotify_init1(Int32(IN_CLOEXEC))
            let problem = errno
            guard queue < 0 else {
                close(queue)
                return nil
            }
            return problem == EMFILE
                ? "other programs of this user hold all inotify instances; raise fs.inotify.max_user_instances"
                : "inotify cannot be used here (error \(problem))"
        }
    }
#endif
