public import LatchkeyJSON
import LatchkeySystem

/// The functions of `/control/`, for programs that run the server themselves.
extension DevServer {
    /// Returns what the server did, oldest first: the latest 10,000 entries.
    public func log() -> [Entry] { state.withLock { $0.log.latest } }

    /// The number of held answers.
    public var heldAnswers: Int { held.count }

    /// Plans a fault. Returns `false` if one of its numbers is out of range, or 1,000 faults are planned already.
    @discardableResult
    public func inject(_ fault: Fault) -> Bool { state.withLock { $0.faults.add(fault) } }

    /// Removes the planned faults. Held answers stay held.
    public func clear() {
        state.withLock { $0.faults.clear() }
    }

    /// Sends the oldest `count` held answers, by default all, and returns their number.
    @discardableResult
    public func release(_ count: Int? = nil) -> Int { held.release(count) }

    /// Drops the oldest `count` held requests, by default all, and returns their number. They get no answer, and
    /// those that were not acted on never will be.
    @discardableResult
    public func drop(_ count: Int? = nil) -> Int { held.release(count, answered: false) }

    /// Approves the device that shows `userCode`, as the user with this name or else the first one. Returns `false`
    /// if no device waits with that code, or there is no such user.
    public func approve(userCode: String, as name: String? = nil) -> Bool {
        state.withLock { state in
            guard let user = name.map({ state.user(named: $0) }) ?? state.configuration.users.first else {
                return false
            }
            return state.decideDevice(userCode, user: user, now: now())
        }
    }

    /// Denies the device that shows `userCode`. Returns `false` if no device waits with that code.
    public func deny(userCode: String) -> Bool {
        state.withLock { $0.decideDevice(userCode, user: nil, now: now()) }
    }

    /// Signs with a new key from now on, also in the Supabase dialect. Old keys stay published (at most 8) or
    /// disappear. Returns `false` if no key could be made.
    @discardableResult
    public func rotateKeys(keepingOld: Bool = true) -> Bool {
        state.withLock { state in
            (try? state.keys.rotate(keepingOld: keepingOld)) != nil
                && (try? state.supabase.signers.rotate(keepingOld: keepingOld)) != nil
        }
    }

    /// Revokes all tokens of a subject, as an administrator can. In the Supabase dialect it ends all sessions of
    /// the user with this ID or address.
    public func revoke(subject: String) {
        state.withLock { state in
            state.families.updateAll { if $0.subject == subject { $0.isAlive = false } }
            state.supabase.endSessions(of: state.supabase.emails[subject.lowercased()] ?? subject)
        }
    }

    /// Gives the account of `subject` to another subject, as a service does that merges two accounts: later ID
    /// tokens name `other`.
    public func reassign(subject: String, to other: String) {
        state.withLock { state in
            state.families.updateAll { if $0.subject == subject { $0.subject = other } }
        }
    }

    /// Changes what is known of a person: the display name if it is given, and these further claims; null removes one.
    /// Returns `false` if nobody has the subject.
    @discardableResult
    public func describe(subject: String, displayName: String? = nil, claims: [String: JSON] = [:]) -> Bool {
        state.withLock { state in
            guard let index = state.configuration.users.firstIndex(where: { $0.subject == subject }) else {
                return false
            }
            if let displayName { state.configuration.users[index].displayName = displayName }
            for (name, value) in claims {
                state.configuration.users[index].claims[name] = value == .null ? JSON?.none : value
            }
            return true
        }
    }

    /// Changes the settings: lifetimes, interval, rotation, skew, automatic approval, attack, whether userinfo is
    /// signed, and all of the Supabase dialect but its users. Port, users, clients, signing and clock stay as they were at the start.
    /// Returns `false`, and changes nothing, if a value is invalid.
    @discardableResult
    public func configure(_ change: @Sendable (inout Configuration) -> Void) -> Bool {
        var changed = state.withLock { $0.configuration }
        change(&changed)
        guard changed.isValid else { return false }
        let new = changed
        state.withLock { state in
            let old = state.configuration
            state.configuration = new
            state.configuration.users = old.users
            state.configuration.clients = old.clients
            state.configuration.signing = old.signing
            state.configuration.port = old.port
        }
        return true
    }
}
