import LatchkeySystem

/// What outlasts the process: the person's switch, and the time of the last proof.
extension Gate {
    /// Reads the record once, however many callers ask. Until then the gate is shut.
    func recall() async throws(AuthError) {
        let (flight, isFirst) = recalling.withLock { state in
            if let flight = state.flight { return (flight, false) }
            let flight = Flight<Void>()
            state.flight = flight
            return (flight, true)
        }
        guard isFirst else { return try await flight.value() }
        accounts.alarm.start()
        watchAvailability()
        context.start("recall") { [self] in
            do throws(AuthError) {
                let record = try await read()?.record ?? GateRecord()
                let isEnabled = policy.enrolment == .required || record.isEnabled
                if let kept = store as? any KeepingStore { try await kept.keep(isEnabled) }
                recalling.withLock { $0.record = record }
                change { state, now in
                    state.recall(
                        isInForce: isEnabled, proof: record.proof(in: clock.boot, now: now), at: now)
                }
                flight.land(.success(()))
            } catch {
                // The next caller tries again; the gate stays shut meanwhile.
                recalling.withLock { $0.flight = nil }
                flight.land(.failure(error))
            }
        }
        try await flight.value()
    }

    /// Reads again whether the person has switched the unlock on or off, and takes over what another process has done. Where
    /// the record cannot be read, what is known counts.
    ///
    /// - Parameter opens: Whether the app asks for the gate to be opened. Only then does a switch that is off now open
    ///   a gate that is shut.
    func follow(opens: Bool = false) async {
        guard hasRecord, policy.enrolment == .offered, recalling.withLock({ $0.record != nil }) else { return }
        let record: GateRecord
        do { record = try await read()?.record ?? GateRecord() } catch { return }
        recalling.withLock { $0.record = record }
        guard record.isEnabled != isInForce else { return }
        change { state, now in state.follow(isInForce: record.isEnabled, opens: opens, at: now) }
        // What is kept only while the unlock is on goes into memory. What is in memory stays there until the next launch:
        // the store may hold what another process has kept of the same account.
        guard !isInForce, let kept = store as? any KeepingStore else { return }
        try? await kept.keep(false)
    }

    /// The record and its version. A damaged record counts as a gate in force without a proof: the safe side.
    private func read() async throws(AuthError) -> (record: GateRecord, version: RecordVersion)? {
        do {
            guard let stored = try await store.read(GateRecord.key) else { return nil }
            guard let record = try? GateRecord(stored.bytes) else {
                var safe = GateRecord()
                safe.isEnabled = true
                return (safe, stored.version)
            }
            return (record, stored.version)
        } catch {
            throw AuthError(error)
        }
    }

    /// Changes the record in the store.
    func amend(_ change: (inout GateRecord) -> Void) async throws(AuthError) {
        do {
            for _ in 0..<Lane.commitTries {
                let found = try await read()
                var record = found?.record ?? GateRecord()
                change(&record)
                do {
                    if record != found?.record {
                        try await store.replace(GateRecord.key, at: found?.version, with: record.bytes())
                    }
                } catch  where error.isSettledByReading {
                    continue
                }
                recalling.withLock { $0.record = record }
                return
            }
        } catch {
            throw AuthError(error)
        }
        throw AuthError(StoreConflict())
    }

    /// Keeps the time of a proof for later processes, if the policy lets it count there. A failure
    /// costs one more prompt.
    func rememberProof(_ instant: MonotonicInstant) async {
        guard hasRecord, !policy.atLaunch, policy.interval != nil else { return }
        try? await amend() { record in
            (record.provenAt, record.boot) = (instant, clock.boot)
        }
    }

    /// Forgets the proof: locking counts for every later process too.
    func forgetProof() async {
        guard hasRecord, !policy.atLaunch, policy.interval != nil else { return }
        try? await amend() { record in (record.provenAt, record.boot) = (nil, nil) }
    }

    /// Switches the unlock on, after a first proof, or off.
    func setEnabled(_ isOn: Bool) async throws(AuthError) {
        guard policy.enrolment == .offered, let authenticator else {
            throw AuthError(.configuration(.unsupported), "This client's policy does not let the unlock be switched.")
        }
        try await requireOpen()
        await follow()
        guard isOn != isInForce else { return }
        if isOn {
            try await prompt(authenticator, .usual, enrolling: true)
            // The store keeps sessions before the gate counts as on. If the process is killed in
            // between, the next one finds no gate, and removes the sessions.
            if let kept = store as? any KeepingStore { try await kept.keep(true) }
        }
        try await amend() { record in
            (record.isEnabled, record.wasOffered) = (isOn, true)
            if !isOn { (record.provenAt, record.boot) = (nil, nil) }
        }
        if !isOn, let kept = store as? any KeepingStore { try await kept.keep(false) }
        change(isProof: isOn) { $0.setInForce(isOn, at: $1) }
        // What remains is replaced by the next enrolment, and opens nothing until then.
        if !isOn { try? await (authenticator as? any WithdrawingUnlock)?.withdraw() }
    }

    /// Sets other times than those that the client was built with.
    func setPolicy(_ policy: UnlockPolicy) async throws(AuthError) {
        guard authenticator != nil else {
            throw AuthError(.configuration(.unsupported), "This client has no unlock.")
        }
        try policy.checkTimes()
        let now = self.policy
        guard (policy.enrolment, policy.keeping, policy.atLaunch) == (now.enrolment, now.keeping, now.atLaunch) else {
            throw AuthError(
                .configuration(.invalid),
                "Only the times, the shield and the labels of an unlock policy can be changed while the client runs.")
        }
        try await requireOpen()
        let isChanged = Locked(false)
        change { state, now in
            // It may have locked since.
            guard now < state.openUntil else { return state.lapse(at: now) }
            isChanged.withLock { $0 = true }
            return state.apply(policy, at: now)
        }
        guard isChanged.withLock({ $0 }) else { throw AuthError(.locked, "The sessions are locked.") }
    }

    private func canBeSetUp(_ authenticator: any UnlockAuthenticator) async -> Bool {
        switch await authenticator.availability() {
        case .available: true
        case .notEnrolled: authenticator is any EnrollingUnlock
        default: false
        }
    }

    /// After a sign-in: offers the unlock, once.
    func offer() async {
        guard policy.enrolment == .offered, let authenticator, !isInForce,
            recalling.withLock({ $0.record?.wasOffered == false }), await canBeSetUp(authenticator)
        else { return }
        // Told only if it could be noted, so that it is told once.
        guard (try? await amend({ $0.wasOffered = true })) != nil else { return }
        accounts.hub.tell(.unlockOffered)
    }

    /// After the last account has signed out, undoes what was set up for it: the unlock that was
    /// switched on, else the last proof.
    func clear() async {
        guard hasRecord, accounts.table.entries.isEmpty else { return }
        await follow()
        if policy.enrolment == .offered, isInForce {
            try? await setEnabled(false)
        } else {
            await forgetProof()
        }
    }
}
