import LatchkeyLocked

/// What `/control/` does, for programs that run the server themselves.
extension DevServer {
    /// What the server did, oldest first: the latest 10,000 entries.
    public func log() -> [Entry] { state.withLock { $0.log.latest } }

    /// How many answers are held.
    public var heldAnswers: Int { held.count }

    /// Plans a fault. `false` when one of its numbers is out of range, or 1,000 are planned already.
    @discardableResult
    public func inject(_ fault: Fault) -> Bool { state.withLock { $0.faults.add(fault) } }

    /// Forgets the faults that are planned. What is held stays held.
    public func clear() {
        state.withLock { $0.faults.clear() }
    }

    /// Lets the oldest `count` held answers go, all by default, and tells how many those were.
    @discardableResult
    public func release(_ count: Int? = nil) -> Int { held.release(count) }

    /// Drops the oldest `count` held requests, all by default: no answer, and what was not acted on never is. Tells how
    /// many those were.
    @discardableResult
    public func drop(_ count: Int? = nil) -> Int { held.release(count, answered: false) }

    /// Approves the device that shows `userCode`, as the user with this name or else the first. `false` when none
    /// waits with it, or there is no such user.
    public func approve(userCode: String, as name: String? = nil) -> Bool {
        state.withLock { state in
            guard let user = name.map({ state.user(named: $0) }) ?? state.configuration.users.first else {
                return false
            }
            return state.decideDevice(userCode, user: user, now: now())
        }
    }

    /// Says no to the device that shows `userCode`. `false` when none waits with it.
    public func deny(userCode: String) -> Bool {
        state.withLock { $0.decideDevice(userCode, user: nil, now: now()) }
    }

    /// Signs with a new key from here on, in the Supabase dialect too; the old ones stay published (at most 8) or vanish.
    /// `false` when no key could be made.
    @discardableResult
    public func rotateKeys(keepingOld: Bool = true) -> Bool {
        state.withLock { state in
            (try? state.keys.rotate(keepingOld: keepingOld)) != nil
                && (try? state.supabase.signers.rotate(keepingOld: keepingOld)) != nil
        }
    }

    /// Kills every token of a subject, as an administrator would; in the Supabase dialect every session of the user with
    /// this identifier or address.
    public func revoke(subject: String) {
        state.withLock { state in
            state.families.updateAll { if $0.subject == subject { $0.isAlive = false } }
            state.supabase.endSessions(of: state.supabase.emails[subject.lowercased()] ?? subject)
        }
    }

    /// Makes the tokens of `subject` another's, as a service does that merges two accounts: further ID tokens name
    /// `other`.
    public func reassign(subject: String, to other: String) {
        state.withLock { state in
            state.families.updateAll { if $0.subject == subject { $0.subject = other } }
        }
    }

    /// Changes how the server behaves from here on: lifetimes, interval, rotation, skew, automatic approval, attack, and
    /// all of the Supabase dialect but its users. Port,
    /// users, clients, signing and clock stay as they were at the start. `false`, and nothing changed, when a value
    /// makes no sense.
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
