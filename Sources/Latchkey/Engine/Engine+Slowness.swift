/// Who was slow when a caller's time is over.
extension Engine {
    /// The error of a wait for a token of `account` that was too long. It names the service that has not answered, the
    /// process that holds the session's lock, or the store.
    func slowness(of account: AccountID?) async -> any Error {
        guard let key = table.entry(account)?.key, let exchange = services.exchanges.exchange(at: key) else {
            return Self.slowStore
        }
        switch exchange.waitsFor {
        case .service(let origin):
            var error = TransportError(.timedOut, wasSent: false)
            error.origin = origin
            return error
        case .lock: return await holder(of: key)
        case .store: return Self.slowStore
        }
    }

    /// The store knows who holds its lock: it says so to a caller that would have to wait.
    private func holder(of key: StoreKey) async -> AuthError {
        do {
            let hold = try await lanes.with(key) { lane in try await lane.hold(deadline: .zero) }
            await hold.release()
            return AuthError(.busy, "A request of another program may still be under way for this session.")
        } catch {
            return AuthError(error)
        }
    }

    private static var slowStore: AuthError {
        AuthError(.store(.unavailable), "The place of the session did not answer in time.")
    }
}
