import Latchkey

/// The current driver, and what waits for it. Protected by the lock of ``CurlWorker``.
struct CurlInbox {
    enum Driver {
        case nobody
        /// The task of a request, which never sleeps while it drives.
        case caller
        /// The transport's thread; if `isAsleep`, it waits for sockets and must be woken.
        case thread(isAsleep: Bool)
        /// The transport is closed, and drives nothing more.
        case closed
    }

    enum Thread {
        case none
        /// The thread is awake, and checks whether it is the driver before it sleeps.
        case awake
        case asleep
    }

    /// What must be done after the lock is released.
    struct Effects {
        var sleepers: [CheckedContinuation<Void, Never>] = []
        var rings = false
        var startsThread = false
        var closes = false

        mutating func wake(_ sleeper: CheckedContinuation<Void, Never>?) {
            if let sleeper { sleepers.append(sleeper) }
        }
    }

    var driver = Driver.nobody
    var thread = Thread.none
    var news = CurlLoop.News()
    /// The number of requests that were started and are not over.
    private(set) var count = 0
    var isStopped = false
    /// Whether the last turn left requests under way.
    private(set) var isBusy = false
    /// The number of requests that found no driver, and how many of the latest drove themselves in vain.
    private(set) var tries: UInt = 0
    private var misses = 0

    /// After `faith` vain tries in a row, only one request in `retrial` drives itself.
    private static let faith = 4
    private static let retrial: UInt = 64

    /// Whether there is anything to drive.
    var hasWork: Bool { isBusy || !news.isEmpty }

    mutating func add(_ transfer: CurlTransfer) {
        count += 1
        transfer.state.isStarted = true
        news.starting.append(transfer)
    }

    /// Returns whether a request may drive itself. Most services are far away, so after failures it is tried only
    /// now and then.
    mutating func mayTry() -> Bool {
        tries &+= 1
        return misses < Self.faith || tries % Self.retrial == 0
    }

    mutating func noteTry(isAnswered: Bool) { misses = isAnswered ? 0 : min(misses + 1, Self.faith) }

    mutating func takeNews() -> CurlLoop.News {
        if news.isEmpty { return CurlLoop.News() }
        defer { news = CurlLoop.News() }
        return news
    }

    /// Takes over the results of a turn.
    mutating func settle(_ loop: CurlLoop, _ effects: inout Effects) {
        isBusy = loop.isBusy
        if loop.endings.isEmpty { return }
        count -= loop.endings.count
        for (transfer, end) in loop.endings { effects.wake(transfer.finish(end)) }
        loop.forgetEndings()
    }

    /// Ends the turn of a task, and leaves the rest to the thread.
    mutating func leave(_ effects: inout Effects) {
        driver = .nobody
        if isStopped, case .none = thread {
            driver = .closed
            effects.closes = true
        } else if isStopped || hasWork {
            callThread(&effects)
        }
    }

    /// Makes the thread the driver.
    mutating func callThread(_ effects: inout Effects) {
        driver = .thread(isAsleep: false)
        switch thread {
        case .none: effects.startsThread = true
        case .awake: break
        case .asleep: effects.rings = true
        }
        thread = .awake
    }

    /// Makes the driver notice what came in.
    mutating func wakeDriver(_ effects: inout Effects) {
        guard case .thread(isAsleep: true) = driver else { return }
        driver = .thread(isAsleep: false)
        effects.rings = true
    }
}
