import LatchkeyTesting
import Testing

@testable import Latchkey

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Against the real system. A process that is taken for dead costs a session at some services.
@Suite("processes of the system") struct SystemProcessesTests {
    private let system = SystemProcesses()

    private func own() throws -> ProcessIdentity { try #require(system.current) }

    /// A program that sleeps, and ends with the test.
    private final class Sleeper {
        let number: pid_t

        init(_ program: String = "/bin/sleep", _ words: [String] = ["sleep", "60"]) throws {
            number = try #require(Spawn.start(program, words, descriptors: [:]))
        }

        func end() {
            kill(number, SIGKILL)
            waitpid(number, nil, 0)
        }
    }

    private func identity(of number: pid_t) throws -> ProcessIdentity {
        let entry = try #require(SystemProcesses.entry(number))
        return ProcessIdentity(space: try own().space, number: entry.number, began: entry.began)
    }

    @Test("this process runs, and is the same each time it is asked for") func ownProcess() throws {
        let own = try own()
        #expect(system.state(of: own) == .running)
        #expect(own.number == Int(getpid()))
        #expect(try self.own() == own)
    }

    @Test("another process runs until it has ended") func child() throws {
        let child = try Sleeper()
        let process = try identity(of: child.number)
        #expect(system.state(of: process) == .running)
        child.end()
        #expect(system.state(of: process) == .ended)
    }

    @Test("a stopped process is not taken for dead") func stopped() throws {
        let child = try Sleeper()
        let process = try identity(of: child.number)
        kill(child.number, SIGSTOP)
        #expect(system.state(of: process) == .running)
        child.end()
    }

    @Test("a process that was killed, and that its parent has not cleared away yet, has ended") func zombie() throws {
        let child = try Sleeper()
        let process = try identity(of: child.number)
        kill(child.number, SIGKILL)
        // Waits for its end, and leaves it as it is.
        var seen = siginfo_t()
        #expect(waitid(P_PID, id_t(child.number), &seen, WEXITED | WNOWAIT) == 0)
        #expect(system.state(of: process) == .ended)
        child.end()
    }

    @Test("a number that another process has by now tells nothing of the first: it has ended") func again() throws {
        var former = try own()
        former.began += "1"
        #expect(system.state(of: former) == .ended)
    }

    @Test(
        "of a process in another container nothing can be told, whatever has its number here",
        arguments: [
            "", "pid:[1]", "pid:[4026531836]", "darwin of another machine",
        ])
    func container(space: String) throws {
        var other = try own()
        other.space = space
        #expect(system.state(of: other) == .unknown)
        other.number = 4_194_000
        #expect(system.state(of: other) == .unknown)
    }

    @Test("a number that none can have is not looked for", arguments: [0, -1, -4_711, Int.max, Int.min])
    func impossible(number: Int) throws {
        var other = try own()
        other.number = number
        #expect(system.state(of: other) == .unknown)
    }

    #if os(Linux)
        @Test(
            "reads what the system says, whatever a program is called",
            arguments: [
                ("7 (sh) S 1 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4711 0 0", false),
                ("7 (a) Z (b) R) S 1 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 3 0 4711 0 0", false),
                ("7 (sh) T 1 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4711 0 0", false),
                ("7 (sh) Z 1 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4711 0 0", true),
                ("7 (sh) X 1 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 0 0 4711 0 0", true),
                // The first thread has ended, and others go on.
                ("7 (sh) Z 1 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 4 0 4711 0 0", false),
            ])
        func line(_ text: String, isOver: Bool) {
            #expect(SystemProcesses.parse(text) == SystemProcesses.Entry(number: 7, began: "4711", isOver: isOver))
        }

        @Test(
            "takes nothing else for an answer of the system",
            arguments: [
                "", "7", "7 (sh", "7 (sh) S 1 7", "x (sh) S 1 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4711 0 0",
                "7 (sh) S 1 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 never 0 0",
            ])
        func garbage(_ text: String) { #expect(SystemProcesses.parse(text) == nil) }
    #endif
}
