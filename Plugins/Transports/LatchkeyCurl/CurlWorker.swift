import Latchkey
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Decides which thread drives libcurl, and keeps what waits for the driver.
///
/// Only one thread at a time may use libcurl's handles: the driver. If there is none, a request drives itself for
/// some microseconds, because an answer from nearby comes before a thread wakes. The rest, and any request that
/// arrives meanwhile, is left to the transport's own thread. It drives many requests at a time, sleeps while there
/// are none, and is started when it is first needed. A driver that stops while anything is left makes the thread
/// the driver under the same lock, so that there always is one.
final class CurlWorker: Sendable {
    /// How many nanoseconds a request drives itself before it leaves that to the thread.
    static let patience: UInt64 = 150_000
    /// A request that is answered at once gives other tasks no turn, so one request in this many yields.
    private static let politeness: UInt = 16

    let inbox = Locked(CurlInbox())
    let bell: CurlBell?
    let loop: CurlLoop?
    let clock: any AuthClock
    let whenStopped: @Sendable () -> Void

    init(_ settings: CurlSettings, clock: any AuthClock, whenStopped: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.whenStopped = whenStopped
        bell = CurlBell()
        loop = bell.flatMap { CurlLoop(settings, $0) }
    }

    /// The result of starting a request.
    enum Start {
        /// The request is over. If `isPolite`, other tasks have waited long enough, so yield.
        case over(CurlEnd, isPolite: Bool)
        /// Another driver has it.
        case underWay
    }

    /// Takes the request, and may drive it at once.
    func start(_ transfer: CurlTransfer) -> Start {
        let refusal = CurlEnd.failed(TransportError(.unreachable, wasSent: false))
        guard let loop else { return .over(refusal, isPolite: false) }
        var effects = CurlInbox.Effects()
        var news: CurlLoop.News?
        let isTaken = inbox.withLock { inbox in
            guard !inbox.isStopped, inbox.count < CurlSettings.queueCap else { return false }
            inbox.add(transfer)
            switch inbox.driver {
            case .nobody where inbox.mayTry():
                inbox.driver = .caller
                news = inbox.takeNews()
            case .nobody: inbox.callThread(&effects)
            default: inbox.wakeDriver(&effects)
            }
            return true
        }
        guard isTaken else { return .over(refusal, isPolite: false) }
        perform(effects)
        return news.map { drive(transfer, loop, $0) } ?? .underWay
    }

    /// Suspends the task of a request until its answer.
    func wait(_ transfer: CurlTransfer, _ continuation: CheckedContinuation<Void, Never>) {
        let isOver = inbox.withLock { _ in
            if transfer.state.end == nil { transfer.state.sleeper = continuation }
            return transfer.state.end != nil
        }
        if isOver { continuation.resume() }
    }

    /// Returns the request's result, once it is over.
    func end(_ transfer: CurlTransfer) -> CurlEnd? {
        inbox.withLock { _ in transfer.state.end }
    }

    /// Abandons the request.
    func drop(_ transfer: CurlTransfer) {
        var effects = CurlInbox.Effects()
        inbox.withLock { inbox in
            guard transfer.state.end == nil else { return }
            if transfer.state.isStarted {
                inbox.news.dropped.append(transfer)
                inbox.wakeDriver(&effects)
            }
            effects.wake(transfer.finish(.failed(CancellationError())))
        }
        perform(effects)
    }

    private func drive(_ transfer: CurlTransfer, _ loop: CurlLoop, _ first: CurlLoop.News) -> Start {
        var news = first
        var now = transfer.start
        var patient: UInt64?
        while true {
            loop.turn(news, at: now)
            // By the machine's clock, because the context's may stand still.
            let time = loop.endings.isEmpty ? CurlSockets.now : 0
            let isOverdue = patient.map { time > $0 } ?? false
            patient = patient ?? time + Self.patience
            if Task.isCancelled { drop(transfer) }
            var effects = CurlInbox.Effects()
            let step = inbox.withLock { inbox -> Start? in
                inbox.settle(loop, &effects)
                if let end = transfer.state.end {
                    inbox.noteTry(isAnswered: true)
                    inbox.leave(&effects)
                    return .over(end, isPolite: inbox.tries % Self.politeness == 0)
                }
                let isCrowd = loop.width > 1 || !effects.sleepers.isEmpty
                if isCrowd || isOverdue {
                    if !isCrowd { inbox.noteTry(isAnswered: false) }
                    inbox.callThread(&effects)
                    return .underWay
                }
                news = inbox.takeNews()
                return nil
            }
            perform(effects)
            if let step { return step }
            // The process that answers may be waiting for this processor.
            if news.isEmpty { sched_yield() }
            now = clock.now()
        }
    }

    /// Does what must not be done under the lock.
    func perform(_ effects: CurlInbox.Effects) {
        if effects.startsThread { startThread() }
        if effects.rings { bell?.ring() }
        for sleeper in effects.sleepers { sleeper.resume() }
        if effects.closes { close() }
    }
}
