/// What this process holds and the store has not taken, with the lane that is kept for it.
struct UnstoredChanges: Sendable {
    enum Change: Sendable {
        /// A sign-out that was reported as failed.
        case signOut(AccountID, login: String, scope: SignOutScope, cause: CredentialRecord.Ended.Cause)
        /// A credential that was granted.
        case signIn(UnstoredSignIn)
        /// A refresh token that came in place of another, with something other than an answer.
        case token(old: Secret, of: Credential.ID, new: Secret)
        /// A change that the service made.
        case answer(Answered, Want)

        /// The order in which unstored are paid. There is one of each kind at a time, but several sign-outs.
        fileprivate var rank: Int {
            switch self {
            case .signOut: 0
            case .signIn: 1
            case .token: 2
            case .answer: 3
            }
        }

        /// Names the change among those of its lane.
        var id: String {
            switch self {
            case .signOut(_, let login, _, _): "sign-out \(login)"
            case .signIn(let waiting): "sign-in \(waiting.login)"
            case .token(_, let id, _): "token \(id.value)"
            case .answer(let answer, _): "answer \(answer.refreshTokenID)"
            }
        }

        /// Whether every request of the credential needs what is not stored, so that the lane is kept for it.
        fileprivate var holdsCredential: Bool { rank >= 2 }
    }

    struct UnstoredSignIn: Sendable {
        var credential: Credential
        var login: String
        var offset: Duration
        /// When the service answered, however late it is stored.
        var contact: CredentialRecord.Stamp
    }

    /// In the order in which they are paid.
    private(set) var list: [Change] = []
    /// The store's lock, kept while the credential in the store is not the newest one.
    private(set) var hold: (any HeldLock)?
    /// How often in a row something could not be stored.
    private(set) var failures = 0
    /// Sign-ins that are being stored at this moment, by their logins.
    private var puts: [String: Flight<Void>] = [:]
    /// How many of those have ended.
    private(set) var putsEnded = 0

    var isEmpty: Bool { list.isEmpty }

    /// Whether something is not stored that every request of the credential needs.
    var holdsCredential: Bool {
        list.contains(where: \.holdsCredential)
    }

    /// Whether a token waits to be stored that came with something other than an answer.
    var holdsToken: Bool { list.contains { if case .token = $0 { true } else { false } } }

    /// The answer that is not stored.
    var answer: Answered? {
        for case .answer(let answer, _) in list { return answer }
        return nil
    }

    /// The sign-in that is not stored.
    var signIn: UnstoredSignIn? {
        for case .signIn(let waiting) in list { return waiting }
        return nil
    }

    func contains(_ id: String) -> Bool { list.contains { $0.id == id } }

    /// Adds `change`, in place of an earlier one of its kind; of sign-outs the last few are kept.
    mutating func add(_ change: Change) {
        remove(change.id)
        let alike = list.filter { $0.rank == change.rank }
        let most = change.rank == 0 ? CredentialRecord.endedLimit : 1
        let gone = alike.prefix(max(0, alike.count + 1 - most)).map(\.id)
        list.removeAll { gone.contains($0.id) }
        list.insert(change, at: list.firstIndex { $0.rank > change.rank } ?? list.endIndex)
    }

    mutating func remove(_ id: String) { list.removeAll { $0.id == id } }

    /// Counts a round that left something unpaid. A round that left nothing resets the count.
    mutating func noteRound() { failures = list.isEmpty ? 0 : failures + 1 }

    /// Keeps the lane if something that is not stored needs it and none is kept yet. Returns
    /// `false` if the caller must release it.
    mutating func keep(_ hold: any HeldLock) -> Bool {
        guard holdsCredential, self.hold == nil else { return false }
        self.hold = hold
        return true
    }

    /// Gives the kept lock back if the store has lost it.
    mutating func takeLostHold() -> (any HeldLock)? {
        guard let hold, !hold.isHeld else { return nil }
        defer { self.hold = nil }
        return hold
    }

    /// Gives the kept lane back to be released, once nothing needs it.
    mutating func takeHold() -> (any HeldLock)? {
        guard !holdsCredential else { return nil }
        defer { hold = nil }
        return hold
    }
}

/// Sign-ins that are being stored.
extension UnstoredChanges {
    mutating func beginPut(_ login: String) { puts[login] = Flight() }

    /// Notes that storing the sign-in has ended, whether it succeeded or not.
    mutating func endPut(_ login: String) {
        guard let put = puts.removeValue(forKey: login) else { return }
        putsEnded += 1
        put.land(.success(()))
    }

    /// The storing of `login` that is under way.
    func put(_ login: String) -> Flight<Void>? { puts[login] }
}
