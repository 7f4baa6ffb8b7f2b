import Latchkey

/// Where the person goes on after signing in. It is kept beside the challenge, so that it is still known when the
/// browser's client was closed meanwhile, or the server was started anew.
struct WayBack: Sendable {
    private static let key = StoreKey(.settings, "web/return")

    private let store: (any SessionStore)?

    /// - Parameter store: The browser's part of the store; `nil` for visitors who have none.
    init(_ store: (any SessionStore)?) { self.store = store }

    /// Notes `path`; `nil` forgets it.
    func note(_ path: LocalPath?) async throws {
        guard let store else { return }
        while true {
            let stored = try await store.read(Self.key)
            let bytes = path.map { Array($0.text.utf8) }
            guard bytes != stored?.bytes else { return }
            do {
                _ = try await store.replace(Self.key, at: stored?.version, with: bytes)
                return
            } catch  where error.isSettledByReading {}
        }
    }

    /// Returns what was noted.
    func path() async throws -> LocalPath? {
        guard let stored = try await store?.read(Self.key) else { return nil }
        return LocalPath(String(decoding: stored.bytes, as: UTF8.self))
    }
}
