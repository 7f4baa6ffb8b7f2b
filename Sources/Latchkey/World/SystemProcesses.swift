#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The processes of this machine, as far as this one may look.
///
/// Linux: `kill(2)` with signal 0, and `proc_pid_stat(5)`. macOS and iOS: `sysctl(3)` with `KERN_PROC_PID`; in the
/// sandbox of iOS nothing can be told.
struct SystemProcesses: ProcessLooking {
    var current: ProcessIdentity? { Self.own }

    private static let own = look()

    /// The number of this process, for messages.
    static let number = Int(getpid())

    func state(of process: ProcessIdentity) -> ProcessState {
        guard let own = Self.own, own.space == process.space, let number = pid_t(exactly: process.number), number > 0
        else { return .unknown }
        guard kill(number, 0) == 0 || errno == EPERM else { return errno == ESRCH ? .ended : .unknown }
        guard let seen = Self.entry(number) else { return .unknown }
        return seen.began == process.began && !seen.isOver ? .running : .ended
    }

    /// What the system says of a process that has not been cleared away yet.
    struct Entry: Equatable {
        var number: Int
        var began: String
        /// Whether it has ended, and waits for its parent.
        var isOver: Bool
    }
}

#if canImport(Darwin)
    extension SystemProcesses {
        private static func look() -> ProcessIdentity? {
            entry(getpid()).map { ProcessIdentity(space: "darwin", number: $0.number, began: $0.began) }
        }

        static func entry(_ number: pid_t) -> Entry? {
            var path = [CTL_KERN, KERN_PROC, KERN_PROC_PID, number]
            var found = kinfo_proc()
            var size = MemoryLayout<kinfo_proc>.size
            guard sysctl(&path, 4, &found, &size, nil, 0) == 0, size > 0, found.kp_proc.p_pid == number else {
                return nil
            }
            let began = found.kp_proc.p_un.__p_starttime
            return Entry(
                number: Int(number), began: "\(began.tv_sec).\(began.tv_usec)",
                isOver: Int32(found.kp_proc.p_stat) == SZOMB)
        }
    }
#else
    extension SystemProcesses {
        /// `nil` where `/proc` is missing, or is that of other namespaces.
        private static func look() -> ProcessIdentity? {
            guard let space = namespaces(), let own = entry("self"), own.number == Int(getpid()) else { return nil }
            return ProcessIdentity(space: space, number: own.number, began: own.began)
        }

        /// Numbers count in the namespace of processes, and times of beginning in that of clocks.
        private static func namespaces() -> String? {
            guard let processes = link("/proc/self/ns/pid") else { return nil }
            // Kernels before 5.6 have no namespaces of clocks.
            return [processes, link("/proc/self/ns/time")].compactMap(\.self).joined(separator: " ")
        }

        private static func link(_ path: String) -> String? {
            var bytes = [CChar](repeating: 0, count: 64)
            let count = readlink(path, &bytes, bytes.count)
            guard count > 0, count < bytes.count else { return nil }
            return String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        }

        static func entry(_ number: pid_t) -> Entry? { entry("\(number)") }

        private static func entry(_ name: String) -> Entry? {
            let file = open("/proc/\(name)/stat", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return nil }
            defer { close(file) }
            var bytes = [UInt8](repeating: 0, count: 1_024)
            let count = read(file, &bytes, bytes.count)
            guard count > 0 else { return nil }
            return parse(String(decoding: bytes[..<count], as: UTF8.self))
        }

        /// Reads a line of `proc_pid_stat(5)`. The second field is a name in parentheses, which may hold anything.
        static func parse(_ line: String) -> Entry? {
            guard let end = line.lastIndex(of: ")"), let number = Int(line.prefix { $0 != " " }) else { return nil }
            let fields = line[line.index(after: end)...].split(separator: " ")
            // From the third field on: the state, and further on the threads and the time of beginning.
            guard fields.count > 19, let threads = Int(fields[17]), UInt64(fields[19]) != nil else { return nil }
            // A process whose first thread has ended goes on while others run.
            let isOver = ["Z", "X", "x"].contains(fields[0]) && threads <= 1
            return Entry(number: number, began: String(fields[19]), isOver: isOver)
        }
    }
#endif
