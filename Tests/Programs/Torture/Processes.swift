import LatchkeyTesting

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The processes that are started to be killed. Each has a number, which is never given again.
final class Processes {
    let reports = Reports()
    private(set) var kills = 0
    private var living: [Int: pid_t] = [:]
    private var last = 0

    deinit { end(Array(living.keys)) }

    /// Starts this program in another role. Its number follows the role.
    func start(_ role: String, _ arguments: [String], variables: [String] = []) -> Int {
        last += 1
        let words = ["torture", role, "\(last)"] + arguments
        let process = Spawn.start(
            Spawn.own, words, variables: Self.inherited + variables, descriptors: [STDOUT_FILENO: reports.writing])
        guard let process else { preconditionFailure("no process could be started (errno \(errno))") }
        living[last] = process
        return last
    }

    func isAlive(_ number: Int) -> Bool { living[number] != nil }

    /// Kills them at one instant, and returns when they are gone.
    func strike(_ numbers: [Int]) {
        kills += numbers.count
        end(numbers)
    }

    /// Ends without counting.
    func end(_ numbers: [Int]) {
        for number in numbers { if let process = living[number] { kill(process, SIGKILL) } }
        for number in numbers {
            guard let process = living.removeValue(forKey: number) else { continue }
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
        }
    }

    /// The ones that ended by themselves.
    func ended() -> [Int] {
        var found: [Int] = []
        for (number, process) in living {
            var status: Int32 = 0
            if waitpid(process, &status, WNOHANG) == process { found.append(number) }
        }
        for number in found { living[number] = nil }
        return found
    }

    private static let inherited = ["PATH", "HOME", "SWIFT_BACKTRACE"].compactMap { (name: String) -> String? in
        getenv(name).map { "\(name)=\(String(cString: $0))" }
    }
}
