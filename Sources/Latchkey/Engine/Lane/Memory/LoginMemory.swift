/// Logins as this process knows them, beside what the record says.
struct LoginMemory: Sendable {
    /// Logins that this process made. It tells of them itself.
    private(set) var own: [String] = []
    /// Logins that this process ended, or saw ended: nothing of them is shown again.
    private(set) var ended: [String] = []
    /// Those of them that the store may not know of yet.
    private(set) var unstoredEnds: Set<String> = []

    mutating func noteOwn(_ login: String) {
        if !own.contains(login) { own = own.suffix(7) + [login] }
    }

    func hasEnded(_ login: String) -> Bool { ended.contains(login) }

    /// From now on nothing of `login` is shown to callers.
    ///
    /// - Parameter isStored: Whether the store knows too. If not, only this lane knows until
    ///   ``noteStoredEnd(of:)``.
    mutating func forget(_ login: String, isStored: Bool = true) {
        if !isStored { unstoredEnds.insert(login) }
        guard !ended.contains(login) else { return }
        ended.append(login)
        if ended.count > 32 { unstoredEnds.remove(ended.removeFirst()) }
    }

    /// The store knows of the end, or never knew the login.
    mutating func noteStoredEnd(of login: String) { unstoredEnds.remove(login) }
}
