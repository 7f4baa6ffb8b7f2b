import FoundationEssentials
import LatchkeySystem

/// Challenges that wait in the store for an answer, from this process or another.
extension SignIns {
    /// The most challenges that wait at a time; the oldest goes when another comes.
    private static let challengeLimit = 32

    /// The key of the challenge called `id`.
    static func key(_ id: String) -> StoreKey { StoreKey(.challenge, id) }

    /// The stored challenge called `id`, which can still be answered.
    func waiting(_ id: String) async throws -> (key: StoreKey, stored: StoredRecord, record: ChallengeRecord) {
        let key = Self.key(id)
        guard let stored = try await store.read(key) else { throw Self.noChallenge }
        let record = try ChallengeRecord(stored.bytes)
        guard deadline(of: record) > clock.now() else {
            _ = try await giveUp(key, at: stored.version, record)
            throw AuthError(
                .refused(.expired), "The challenge has expired.", provider: record.challenge.binding.provider)
        }
        return (key, stored, record)
    }

    /// The stored challenges that can still be answered.
    func pendingChallenges() async throws -> [Challenge] {
        var found: [ChallengeRecord] = []
        for key in try await store.keys(.challenge) {
            guard let stored = try await store.read(key) else { continue }
            guard let record = try? ChallengeRecord(stored.bytes) else {
                try? await drop(key, at: stored.version)
                continue
            }
            guard deadline(of: record) > clock.now() else {
                _ = try? await giveUp(key, at: stored.version, record)
                continue
            }
            found.append(record)
        }
        return found.sorted { $0.since.wall < $1.since.wall }.map(\.challenge)
    }

    /// - Parameter context: The context by which the provider dated the challenge. The answer may
    ///   have shown another offset of the service's clock since, and that one must not shorten the
    ///   wait.
    func keep(_ challenge: Challenge, in context: ProviderContext, about: AccountID?) async throws {
        let key = StoreKey(.challenge, challenge.id)
        let stated = challenge.expiresAt.map {
            Duration.seconds(min(86_400, $0.timeIntervalSince(context.serverNow)))
        }
        for _ in 0..<8 {
            let stored = try await store.read(key)
            let known = stored.flatMap { try? ChallengeRecord($0.bytes) }
            let record = ChallengeRecord(
                challenge, since: known?.since ?? clock.stamp,
                lasts: known?.lasts ?? stated ?? services.settings.challengeLifetime,
                principal: about)
            do {
                try await store.replace(key, at: stored?.version, with: record.bytes())
                return
            } catch  where AuthError(error).code == .store(.unknownOutcome) {
                // It is written once more over what is there, even if that is the same.
            }
        }
        throw AuthError(.store(.unknownOutcome), "The store's answers are lost, and the sign-in cannot go on.")
    }

    func makeRoom() async throws {
        let keys = try await store.keys(.challenge)
        guard keys.count >= Self.challengeLimit else { return }
        let waiting = try await pendingChallenges()
        for challenge in waiting.prefix(max(0, waiting.count - Self.challengeLimit + 1)) {
            _ = await giveUp(challenge.id)
        }
    }

    /// Drops the challenge called `id`, which nobody will answer any more.
    ///
    /// - Returns: A flight that lands when the provider was told; `nil` if there is nothing to tell.
    func giveUp(_ id: String) async -> Flight<Void>? {
        let key = StoreKey(.challenge, id)
        guard let stored = try? await store.read(key) else { return nil }
        guard let record = try? ChallengeRecord(stored.bytes) else {
            try? await drop(key, at: stored.version)
            return nil
        }
        return try? await giveUp(key, at: stored.version, record)
    }

    /// Drops the challenge. Then the provider may end what the service holds half-way; if it
    /// cannot, that changes nothing.
    func giveUp(
        _ key: StoreKey, at version: RecordVersion, _ record: ChallengeRecord
    ) async throws -> Flight<Void>? {
        do { try await store.replace(key, at: version, with: nil) } catch is StoreConflict {
            // Another caller has answered it, or gave it up.
            return nil
        } catch  where AuthError(error).code == .store(.unknownOutcome) {
            // The provider may be told twice.
        }
        guard let provider = try? services.provider(for: record.challenge.binding) else { return nil }
        let told = Flight<Void>()
        // A task of its own: the caller's may be cancelled.
        services.context.start("give up") { [self] in
            var (context, _) = services.callContext(
                record.challenge.binding, until: clock.now() + services.settings.requestDeadline)
            context.principal = await principal(asStored: record.principal)
            _ = try? await provider.answer(.declined, to: record.challenge, in: context)
            told.land(.success(()))
        }
        return told
    }

    func drop(_ key: StoreKey, at version: RecordVersion?) async throws {
        var known = version
        if known == nil { known = try await store.read(key)?.version }
        guard let known else { return }
        do { try await store.replace(key, at: known, with: nil) } catch is StoreConflict {}
    }

    /// Until when the challenge can be answered. One of another boot is judged by the wall clock.
    func deadline(of record: ChallengeRecord) -> MonotonicInstant {
        guard let age = clock.age(of: record.since) else { return clock.now() }
        return clock.now() + (record.lasts - age)
    }

    /// The time left to answer the stored challenge called `id`.
    func deadline(ofChallenge id: String) async throws -> MonotonicInstant {
        guard let stored = try await store.read(StoreKey(.challenge, id)) else { throw Self.noChallenge }
        return deadline(of: try ChallengeRecord(stored.bytes))
    }

    static var noChallenge: AuthError {
        AuthError(.refused(.expired), "No such challenge waits for an answer; it was answered, or has expired.")
    }
}

extension Challenge {
    /// Whether `answer` uses the challenge up, good or not.
    func isUsed(by answer: Answer) -> Bool {
        switch (ask, answer) {
        case (.visit, _), (.openedLink, .redirected): true
        default: false
        }
    }

    /// Whether a wrong answer may be corrected.
    var mayBeCorrected: Bool {
        switch ask {
        case .code, .totp, .backupCode, .enrolment, .password, .newPassword, .fields: true
        default: false
        }
    }
}
