/// Logins as this process knows them, beside what the record says.
struct LoginMemory: Sendable {
    /// Logins that this process made, which tells of them itself.
    private(set) var own: [String] = []
    /// Logins that ended through this process: nothing of them is shown again.
    private(set) var ended: [String] = []
    /// Those of them of which the store may not know yet.
    private(set) var unstoredEnds: Set<String> = []

    mutating func noteOwn(_ login: String) {
        if !own.contains(login) { own = own.suffix(7) + [login] }
    }

    func hasEnded(_ login: String) -> Bool { ended.contains(login) }

    /// From now on nothing of `login` is shown to callers.
    ///
    /// - Parameter isStored: Whether the store says so too; until ``noteStoredEnd(of:)`` only this lane knows.
    mutating func forget(_ login: String, isStored: Bool = true) {
        if !isStored { unstoredEnds.insert(login) }
        guard !ended.contains(login) else { return }
        ended.append(login)
        if ended.count > 32 { unstoredEnds.remove(ended.removeFirst()) }
    }

    /// The store knows of the end, or never knew the login.
    mutating func noteStoredEnd(of login: String) { unstoredEnds.remove(login) }
}
