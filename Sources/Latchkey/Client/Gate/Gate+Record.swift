import LatchkeyLocked

/// What outlasts the process: the person's switch, and the time of the last proof.
extension Gate {
    /// Reads the record, once, however many ask. Until then the gate is shut.
    func recall(_ engine: Engine) async throws(AuthError) {
        let (flight, isFirst) = recalling.withLock { state in
            if let flight = state.flight { return (flight, false) }
            let flight = Flight<Void>()
            state.flight = flight
            return (flight, true)
        }
        guard isFirst else { return try await flight.value() }
        engine.startAlarm()
        watchAvailability(engine)
        engine.context.start("recall") { [self] in
            do throws(AuthError) {
                let record = try await read(engine)?.record ?? GateRecord()
                let isEnabled = policy.enrolment == .required || record.isEnabled
                if let kept = engine.store as? any KeepingStore { try await kept.keep(isEnabled) }
                recalling.withLock { $0.record = record }
                change(engine) { state, now in
                    state.recall(
                        isInForce: isEnabled, proof: record.proof(in: engine.clock.boot, now: now), at: now)
                }
                flight.land(.success(()))
            } catch {
                // The next one tries again; it stays shut meanwhile.
                recalling.withLock { $0.flight = nil }
                flight.land(.failure(error))
            }
        }
        try await flight.value()
    }

    /// The record and its version. One that cannot be read counts as a gate in force without a proof: the safe side.
    private func read(_ engine: Engine) async throws(AuthError) -> (record: GateRecord, version: RecordVersion)? {
        do {
            guard let stored = try await engine.store.read(GateRecord.key) else { return nil }
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
    func amend(_ engine: Engine, _ change: (inout GateRecord) -> Void) async throws(AuthError) {
        do {
            for _ in 0..<Lane.commitTries {
                let found = try await read(engine)
                var record = found?.record ?? GateRecord()
                change(&record)
                do {
                    if record != found?.record {
                        try await engine.store.replace(GateRecord.key, at: found?.version, with: record.bytes())
                    }
                } catch is StoreConflict {
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

    /// Keeps the time of a proof for later processes, where the policy lets it count there. Not being able to costs one
    /// prompt more.
    func rememberProof(_ instant: MonotonicInstant, _ engine: Engine) async {
        guard hasRecord, !policy.atLaunch, policy.interval != nil else { return }
        try? await amend(engine) { record in
            (record.provenAt, record.boot) = (instant, engine.clock.boot)
        }
    }

    /// Whoever locks means every later process too.
    func forgetProof(_ engine: Engine) async {
        guard hasRecord, !policy.atLaunch, policy.interval != nil else { return }
        try? await amend(engine) { record in (record.provenAt, record.boot) = (nil, nil) }
    }

    /// The person switches the unlock on, by a first proof, or off.
    func setEnabled(_ isOn: Bool, _ engine: Engine) async throws(AuthError) {
        guard policy.enrolment == .offered, let authenticator else {
            throw AuthError(.configuration(.unsupported), "This client's policy does not let the unlock be switched.")
        }
        try await engine.admit()
        guard isOn != isInForce else { return }
        if isOn {
            try await prompt(authenticator, .usual, engine)
            // In the store before it counts as there: whoever is killed in between has no gate, and no session kept.
            if let kept = engine.store as? any KeepingStore { try await kept.keep(true) }
        }
        try await amend(engine) { record in
            (record.isEnabled, record.wasOffered) = (isOn, true)
            if !isOn { (record.provenAt, record.boot) = (nil, nil) }
        }
        if !isOn, let kept = engine.store as? any KeepingStore { try await kept.keep(false) }
        change(engine, isProof: isOn) { $0.setInForce(isOn, at: $1) }
    }

    /// After a sign-in: offers the unlock, once.
    func offer(_ engine: Engine) async {
        guard policy.enrolment == .offered, let authenticator, !isInForce,
            recalling.withLock({ $0.record?.wasOffered == false }), await authenticator.availability() == .available
        else { return }
        // Told only where it is noted, so that it is told once.
        guard (try? await amend(engine, { $0.wasOffered = true })) != nil else { return }
        engine.hub.tell(.unlockOffered)
    }

    /// After the last account has signed out: what was set up for it goes.
    func clear(_ engine: Engine) async {
        guard hasRecord, engine.table.entries.isEmpty else { return }
        if policy.enrolment == .offered, isInForce {
            try? await setEnabled(false, engine)
        } else {
            await forgetProof(engine)
        }
    }
}
