import Dispatch
import Latchkey
import LatchkeyJSON
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Writes lines of JSON into a descriptor. It breaks exactly one promise.
final class LinesObserver: AuthEventObserving {
    enum Fault: String, CaseIterable, Sendable {
        case blocks, waitsForRoom, hasNoLimit, stopsWhenFull, overtakes, losesWhatIsSlow, tearsLines, keepsOne
        case diesOfSignal, ignoresSignal, stopsAfterFailure, writesTextsPlain, stopsAtOddNumber, changesDescriptor
        case closesDescriptor, writesAccounts, showsSecret

        var clause: String {
            switch self {
            case .blocks, .waitsForRoom, .hasNoLimit, .stopsWhenFull:
                "what waits for a sink is bounded, and what comes afterwards is written"
            case .overtakes: "what one task observes is written in its order"
            case .losesWhatIsSlow, .keepsOne: "it loses none within its bound"
            case .tearsLines: "each observation is a whole line, also of many tasks at once"
            case .diesOfSignal, .ignoresSignal, .stopsAfterFailure:
                "a sink without a reader ends neither the program nor what is observed afterwards"
            case .writesTextsPlain: "no text of an observation makes a line or a member of its own"
            case .stopsAtOddNumber: "an odd observation loses no other"
            case .changesDescriptor, .closesDescriptor: "it leaves the descriptor as it was, and open"
            case .writesAccounts, .showsSecret:
                "no secret and no account that it was not to write is written or shown"
            }
        }
    }

    static let limit = 64
    static let secret = Secret("key-of-the-collector")
    private let fault: Fault?
    private let descriptor: Int32
    private let shown: String
    private let queue = DispatchQueue(label: "lines")
    private let state = Locked((waiting: [[UInt8]](), isWriting: false, hasStopped: false))

    init(_ fault: Fault?, _ descriptor: Int32) {
        self.fault = fault
        self.descriptor = descriptor
        shown = fault == .showsSecret ? Self.secret.revealText() : ""
        if fault == .ignoresSignal { _ = signal(SIGPIPE, SIG_IGN) }
        if fault == .changesDescriptor { _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) }
    }

    deinit { if fault == .closesDescriptor { close(descriptor) } }

    func observe(_ event: AuthEvent) {
        guard fault == .writesAccounts, case .signedIn(let account) = event else { return }
        put(JSON.object(["account": .string(account.value)]))
    }

    func observe(_ observation: AuthObservation) {
        var members: [String: JSON] = ["event": .string(observation.name)]
        for field in observation.fields {
            switch field.value {
            case .text(let text): members[field.name] = .string(text)
            case .number(let number):
                if fault == .stopsAtOddNumber, number == .max { state.withLock { $0.hasStopped = true } }
            default: break
            }
        }
        guard fault == .writesTextsPlain else { return put(.object(members)) }
        let texts = members.map { "\"\($0.key)\":\"\($0.value.string ?? "")\"" }
        put(Array("{\(texts.joined(separator: ","))}\n".utf8))
    }

    private func put(_ line: JSON) { put(line.serialized() + [0x0A]) }

    private func put(_ line: [UInt8]) {
        switch fault {
        case .blocks, .tearsLines:
            withoutSignal {
                _ = write(line.dropLast() + (fault == .blocks ? [0x0A] : []))
                if fault == .tearsLines { _ = write([0x0A]) }
            }
            return
        case .waitsForRoom: while state.withLock({ $0.waiting.count >= Self.limit }) { usleep(1_000) }
        default: break
        }
        let begins = state.withLock { state in
            guard fault == .hasNoLimit || state.waiting.count < Self.limit, !state.hasStopped else {
                if fault == .stopsWhenFull { state.hasStopped = true }
                return false
            }
            state.waiting.append(line)
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if begins { queue.async { self.writeAll() } }
    }

    private func writeAll() {
        let write = {
            while var lines = self.take() {
                if self.fault == .overtakes { lines.reverse() }
                for line in lines where !self.write(line) && self.fault == .stopsAfterFailure {
                    self.state.withLock { $0.hasStopped = true }
                }
            }
        }
        if fault == .diesOfSignal { write() } else { withoutSignal(write) }
    }

    private func take() -> [[UInt8]]? {
        state.withLock { state in
            guard state.waiting.count > (fault == .keepsOne ? 1 : 0) else {
                state.isWriting = false
                return nil
            }
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    private func write(_ line: [UInt8]) -> Bool {
        var done = 0
        while done < line.count {
            let written = line.withUnsafeBytes {
                systemWrite(descriptor, $0.baseAddress?.advanced(by: done), line.count - done)
            }
            if written > 0 {
                done += written
            } else if errno == EAGAIN, fault != .losesWhatIsSlow {
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wanted, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    private func withoutSignal(_ body: () -> Void) {
        var (signals, before, pending) = (sigset_t(), sigset_t(), sigset_t())
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        body()
        sigpending(&pending)
        var number: Int32 = 0
        if sigismember(&pending, SIGPIPE) == 1 { sigwait(&signals, &number) }
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }
}

private func systemWrite(_ file: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int { write(file, buffer, count) }
