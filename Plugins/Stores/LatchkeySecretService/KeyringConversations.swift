import LatchkeySystem

/// The idle connections of this process, by bus.
///
/// gnome-keyring 42 to 50 keeps its list of clients without a lock. If one client leaves while another connects, it
/// can abort on an assertion (`get_pkcs11_session: assertion 'client' failed`), and the desktop's keyring is closed
/// then. So a process connects once, and stays connected.
enum KeyringConversations {
    /// The most connections that are kept. After a burst of calls the rest is closed.
    static let limit = 4
    private static let idle = Locked<[String: [KeyringConversation]]>([:])

    /// Calls `body` with an idle connection, or with a new one.
    static func use<Value>(
        at address: String, stop: KeyringStop, _ body: (KeyringConversation) throws -> Value
    ) throws -> Value {
        let conversation = try take(address, stop) ?? KeyringConversation(at: address, stop: stop)
        do {
            let value = try conversation.use(stop: stop, body)
            give(conversation, address)
            return value
        } catch {
            if isSound(after: error) { give(conversation, address) }
            throw error
        }
    }

    private static func take(_ address: String, _ stop: KeyringStop) -> KeyringConversation? {
        while let conversation = idle.withLock({ $0[address]?.popLast() }) {
            if conversation.use(stop: stop, { $0.isUsable }) { return conversation }
        }
        return nil
    }

    private static func give(_ conversation: KeyringConversation, _ address: String) {
        conversation.rest()
        // Close connections outside the lock, because closing talks to the bus.
        let dropped = idle.withLock { idle -> [KeyringConversation] in
            var all = idle.flatMap { address, list in list.map { (address, $0) } } + [(address, conversation)]
            let closed = all.filter { $0.1.isClosed }
            all.removeAll { $0.1.isClosed }
            let surplus = all.prefix(max(0, all.count - limit))
            idle = Dictionary(grouping: all.dropFirst(surplus.count)) { $0.0 }.mapValues { $0.map(\.1) }
            return (closed + surplus).map(\.1)
        }
        withExtendedLifetime(dropped) {}
    }

    /// Whether the service answered, even if it refused.
    private static func isSound(after error: any Error) -> Bool {
        switch error as? KeyringProblem {
        case .noBus, .noService, .noAnswer, .other, .notBuiltIn, .notInstalled: false
        case .noCollection, .locked, .gone, nil: true
        }
    }
}
