import Latchkey

/// Who drives, and what came in for the driver. Lives behind the lock of ``CurlWorker``.
struct CurlInbox {
    enum Driver {
        case nobody
        /// The task of a request, which never sleeps meanwhile.
        case caller
        /// The transport's thread; `isAsleep`: it waits for sockets, and must be woken.
        case thread(isAsleep: Bool)
        /// Nothing is driven any more.
        case closed
    }

    enum Thread {
        case none
        /// Looks whether it is the driver before it sleeps.
        case awake
        case asleep
    }

    /// What is to be done once the lock is open.
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
    /// Requests that were started and are not over.
    private(set) var count = 0
    var isStopped = false
    /// Whether the last turn left requests under way.
    private(set) var isBusy = false
    /// How often a request drove, and how often it was in vain lately.
    private(set) var tries: UInt = 0
    private var misses = 0

    /// After so many in a row that were in vain, only one request in so many drives.
    private static let faith = 4
    private static let retrial: UInt = 64

    /// Whether there is something to drive.
    var hasWork: Bool { isBusy || !news.isEmpty }

    mutating func add(_ transfer: CurlTransfer) {
        count += 1
        transfer.state.isStarted = true
        news.starting.append(transfer)
    }

    /// Whether a request may drive. Most services are far away; now and then it is tried again.
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

    /// Notes what a turn brought.
    mutating func settle(_ loop: CurlLoop, _ effects: inout Effects) {
        isBusy = loop.isBusy
        if loop.endings.isEmpty { return }
        count -= loop.endings.count
        for (transfer, end) in loop.endings { effects.wake(transfer.finish(end)) }
        loop.forgetEndings()
    }

    /// Ends the turn of a task: what is left is the thread's.
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

    /// Lets the driver see what came in.
    mutating func wakeDriver(_ effects: inout Effects) {
        guard case .thread(isAsleep: true) = driver else { return }
        driver = .thread(isAsleep: false)
        effects.rings = true
    }
}
