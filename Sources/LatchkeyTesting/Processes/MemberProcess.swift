import FoundationEssentials
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A process that the contract has started, and its reports.
final class MemberProcess: Sendable {
    /// When to kill a process.
    enum Moment: Sendable {
        /// This many microseconds after it reports that it is about to write.
        case writing(Int)
        /// As soon as it reports that it has written.
        case written
    }

    struct NoProcess: Error {
        var number: Int32
    }

    private struct State {
        var reports: [MemberReport] = []
        var moment: Moment?
        var isRunning = true
    }

    let number: Int
    private let process: pid_t
    private let line: Int32
    private let state = Locked(State())
    private let told = Tally()
    private let gone = Latch()

    /// Starts `program` with its order.
    init(
        _ program: StoreProcessContract.Program, _ role: StoreMember.Role, _ number: Int, seed: UInt64,
        in folder: String
    )
        throws
    {
        guard let pair = PrivatePair.open() else { throw NoProcess(number: errno) }
        defer { close(pair.writing) }
        let order = "\(StoreMember.variable)=\(role.rawValue) \(number) \(seed) \(folder)"
        let environment = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
        let process = Spawn.start(
            program.path, [program.path] + program.arguments, variables: environment + [order],
            descriptors: [STDIN_FILENO: pair.writing, STDOUT_FILENO: pair.writing])
        guard let process else {
            let problem = errno
            close(pair.reading)
            throw NoProcess(number: problem)
        }
        (self.number, self.process, line) = (number, process, pair.reading)
        if !DetachedThread.start({ [self] in hear() }) {
            strike(process)
            close(pair.reading)
            throw NoProcess(number: EAGAIN)
        }
    }

    /// The reports so far.
    var reports: [MemberReport] { state.withLock { $0.reports } }

    /// Returns when there are at least this many reports, or the process has ended.
    func waitForReports(_ count: Int) async throws { try await told.wait(for: count) }

    /// Lets the process continue.
    func go() {
        // Under the lock: afterwards the descriptor may belong to something else.
        state.withLock { state in
            var byte: UInt8 = 1
            if state.isRunning { _ = write(line, &byte, 1) }
        }
    }

    /// Kills the process at that moment; `nil` means now.
    func kill(at moment: Moment? = nil) {
        state.withLock { state in
            state.moment = moment
            if moment == nil, state.isRunning { strike(process) }
        }
    }

    /// Returns all reports once the process has ended.
    func ended() async throws -> [MemberReport] {
        try await gone.wait()
        return reports
    }

    /// Reads the reports until the process ends, on its own thread, so that it can kill without delay.
    private func hear() {
        var rest = ""
        var piece = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(line, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest += String(decoding: piece[..<count], as: UTF8.self)
            while let end = rest.firstIndex(of: "\n") {
                if let report = MemberReport(rest[..<end]) { hear(report) }
                rest = String(rest[rest.index(after: end)...])
            }
        }
        var status: Int32 = 0
        // Every kill happens under the lock, because afterwards the process number may belong to another process.
        state.withLock { state in
            strike(process)
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            state.isRunning = false
            close(line)
        }
        gone.open()
        told.add(1_000_000)
    }

    private func hear(_ report: MemberReport) {
        let moment = state.withLock { state in
            state.reports.append(report)
            return state.moment
        }
        switch (report, moment) {
        case (.begins, .writing(let delay)?), (.deletes, .writing(let delay)?):
            if delay > 0 { usleep(UInt32(delay)) }
            strike(process)
        case (.done, .written?): strike(process)
        default: break
        }
        told.add()
    }
}

private func strike(_ process: pid_t) { _ = kill(process, SIGKILL) }
