import LatchkeySystem

/// The accounts that are being read because a call has named them (``EngineSettings/AccountReading/whenNamed``).
final class Openings: Sendable {
    /// How many sign-outs are remembered. Of a return beyond that nothing is told.
    private static let limit = 10_000

    private let flights = Locked<[AccountID: Flight<Void>]>([:])
    /// The accounts whose sign-out was told and whose return was not.
    private let gone = Locked<Set<AccountID>>([])

    /// Whether `account` is being read: what is found is no news then.
    func contains(_ account: AccountID) -> Bool { flights.withLock { $0[account] != nil } }

    /// Whether an account of `keys` is being read. A change that the store tells of meanwhile may be newer.
    func contains(under key: StoreKey) -> Bool { contains(AccountID(key.name)) }

    /// Joins the reading of `account`, or begins one.
    func join(_ account: AccountID) -> (flight: Flight<Void>, isNew: Bool) {
        flights.withLock { flights in
            if let flight = flights[account] { return (flight, false) }
            let flight = Flight<Void>()
            flights[account] = flight
            return (flight, true)
        }
    }

    /// Notes that the sign-out of `account` was told, so that its return is news though a call finds it.
    func noteGone(_ account: AccountID) {
        gone.withLock { if $0.count < Self.limit { $0.insert(account) } }
    }

    /// Whether the sign-out of `account` was told and its return was not; from now on it was.
    func takeGone(_ account: AccountID) -> Bool { gone.withLock { $0.remove(account) != nil } }

    /// Ends the reading of `account`.
    func end(_ account: AccountID, _ result: Result<Void, AuthError>) {
        flights.withLock { $0.removeValue(forKey: account) }?.land(result)
    }
}
