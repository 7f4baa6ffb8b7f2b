import Latchkey
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The transport's own thread.
extension CurlWorker {
    /// Ends the thread, if it runs, and every request.
    func stop() {
        let (closes, rings) = inbox.withLock { inbox -> (Bool, Bool) in
            inbox.isStopped = true
            guard case .none = inbox.thread else { return (false, true) }
            guard case .nobody = inbox.driver else { return (false, false) }
            inbox.driver = .closed
            return (true, false)
        }
        if rings { bell?.ring() }
        if closes { close() }
    }

    func startThread() {
        let isStarted = DetachedThread.start { [self] in
            run()
            close()
        }
        guard !isStarted else { return }
        // The system has no thread to give: refuse everything that was left to it and everything that comes.
        inbox.withLock { inbox in (inbox.thread, inbox.driver, inbox.isStopped) = (.none, .closed, true) }
        close()
    }

    private func run() {
        enum Next { case drives, rests, ends }
        while true {
            let next = inbox.withLock { inbox -> Next in
                inbox.thread = .awake
                switch inbox.driver {
                case .closed: return .ends
                case .thread: return .drives
                case .nobody where inbox.isStopped:
                    inbox.driver = .closed
                    return .ends
                case .nobody, .caller:
                    inbox.thread = .asleep
                    return .rests
                }
            }
            switch next {
            case .ends: return
            case .rests: bell?.wait()
            case .drives: if let loop { drive(loop) }
            }
        }
    }

    /// Drives until nothing is under way. After many requests at once it stays a little, because more often follow.
    private func drive(_ loop: CurlLoop) {
        var lingers = false
        while true {
            let news = inbox.withLock { inbox in
                inbox.driver = .thread(isAsleep: false)
                return inbox.takeNews()
            }
            loop.turn(news, at: clock.now())
            var effects = CurlInbox.Effects()
            if !loop.endings.isEmpty { lingers = loop.endings.count > 1 || loop.isBusy }
            let isDriver = inbox.withLock { inbox in
                inbox.settle(loop, &effects)
                guard !inbox.isStopped, inbox.hasWork || lingers else {
                    inbox.driver = .nobody
                    return false
                }
                return true
            }
            perform(effects)
            guard isDriver else { return }
            // Tasks that got an answer may ask again at once.
            if !effects.sleepers.isEmpty { sched_yield() }
            let sleeps = inbox.withLock { inbox in
                guard inbox.news.isEmpty, !inbox.isStopped else { return false }
                inbox.driver = .thread(isAsleep: true)
                return true
            }
            guard sleeps else { continue }
            if !loop.isBusy { lingers = false }
            // A ring before the sleep ends it at once.
            loop.wait(now: clock.now())
        }
    }

    /// Closes the transport after the last driver, and refuses all that is left.
    func close() {
        var effects = CurlInbox.Effects()
        loop?.close()
        inbox.withLock { inbox in
            if let loop { inbox.settle(loop, &effects) }
            for transfer in inbox.takeNews().starting {
                effects.wake(transfer.finish(.failed(TransportError(.unreachable, wasSent: false))))
            }
        }
        for sleeper in effects.sleepers { sleeper.resume() }
        whenStopped()
    }
}
