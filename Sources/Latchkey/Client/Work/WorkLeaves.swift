/// An endless sequence of permissions to work. Create it with ``AuthClient/whenSignedIn``.
///
/// Any number of workers may ask, in any number of tasks; each asks for one permission per piece of work.
///
/// | While | The worker waits for |
/// | --- | --- |
/// | nobody is signed in, or the person must sign in again | a sign-in, in this process or in another one of a store that tells of changes |
/// | the sessions are locked | the unlock. The person is not asked |
/// | the store cannot be read | a pause, which doubles up to a minute |
/// | the service cannot be reached, or a piece of work could not be done now | a pause, which doubles up to a minute, half of it at random; a refresh or a sign-in that succeeds ends it |
/// | the service has said when to try again (`Retry-After`) | that time, and nothing is sent before |
///
/// All workers of an account share the pauses: if the service tells one of them to wait, the others wait too. A worker
/// that waits sends nothing. The sequence ends when the task is cancelled, or the client is released.
public struct WorkLeaves: AsyncSequence, Sendable {
    let engine: Engine
    let account: AccountID?

    /// Returns an iterator. Each worker needs its own.
    public func makeAsyncIterator() -> Iterator { Iterator(engine: engine, account: account) }

    /// Waits for one permission after another.
    public struct Iterator: AsyncIteratorProtocol {
        let engine: Engine
        let account: AccountID?
        private var storeFailures = 0

        init(engine: Engine, account: AccountID?) {
            self.engine = engine
            self.account = account
        }

        /// Returns the next leave; `nil` when the task is cancelled or the client is released.
        public mutating func next() async -> WorkLeave? {
            while !Task.isCancelled, !engine.accounts.hub.isClosed {
                // Listen before looking, so that no change in between goes unseen.
                let events = engine.accounts.hub.listen()
                switch await obstacle() {
                case .none(let account): return WorkLeave(account: account, engine: engine)
                case .until(let instant): await wait(for: events, until: instant)
                case .event: await wait(for: events, until: nil)
                }
            }
            return nil
        }

        private enum Obstacle {
            case none(AccountID)
            /// Waiting helps, and so may an event.
            case until(MonotonicInstant)
            /// Only something that is told of helps.
            case event
        }

        private mutating func obstacle() async -> Obstacle {
            guard engine.accounts.isOpen || engine.gate.hasRecord else { return .event }
            let entry: AccountEntry
            do throws(AuthError) {
                entry = try await engine.reader.usableEntry(account)
            } catch {
                return obstacle(of: error)
            }
            storeFailures = 0
            let now = engine.clock.now()
            var until = engine.workRests.until(entry.account) ?? now
            switch engine.accounts.state(of: entry) {
            case .restoring, .signedOut, .locked, .signInRequired: return .event
            case .offline: until = Swift.max(until, entry.retryAt ?? now)
            case .fresh, .stale: break
            }
            return now < until ? .until(until) : .none(entry.account)
        }

        private mutating func obstacle(of error: AuthError) -> Obstacle {
            switch error.code {
            case .store(.unavailable), .store(.full), .busy:
                storeFailures += 1
                let pause = Backoff.brief.pause(after: storeFailures, jitter: engine.context.jitter)
                return .until(engine.clock.now() + pause)
            default: return .event
            }
        }

        private func wait(for events: AsyncStream<AuthEvent>, until instant: MonotonicInstant?) async {
            let first: @Sendable () async -> AuthEvent? = { await events.first { _ in true } }
            var event: AuthEvent?
            if let instant {
                event = (try? await engine.clock.value(before: instant, of: first)) ?? nil
            } else {
                event = await first()
            }
            switch event {
            // The first of the events of a sign-in or a refresh; the others are told before anybody looks again.
            case .signedIn(let account), .stateChanged(let account, .fresh), .refreshed(let account, _):
                engine.workRests.lift(account)
            default: break
            }
        }
    }
}
