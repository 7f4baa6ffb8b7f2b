import LatchkeySystem

/// The accounts that are being read because a call has named them (``EngineSettings/AccountReading/whenNamed``).
final class Openings: Sendable {
    private let flights = Locked<[AccountID: Flight<Void>]>([:])

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

    /// Ends the reading of `account`.
    func end(_ account: AccountID, _ result: Result<Void, AuthError>) {
        flights.withLock { $0.removeValue(forKey: account) }?.land(result)
    }
}
