import Latchkey

/// Proving a factor moves the refresh token by two steps. The service forgives that for the reuse interval, which counts
/// from the last refresh. So one is made at most a quarter of it before the proof, and the lane makes more while the answer
/// is waited for.
extension SupabaseHandle {
    /// Runs `proof`, within the reuse interval of a refresh. If its answer is lost, asks the service at once for the session
    /// as it is now: its token says whether the factor was proven.
    func recovering(_ proof: () async throws(AuthError) -> Void) async throws(AuthError) {
        guard provider.reuseInterval > .zero else { return try await proof() }
        let person = try await client.account(for: account, at: provider.name)
        let limit = provider.reuseInterval / 4
        let isYoung = try await attempt(person) { held in (CredentialChange(), held.isYounger(than: limit)) }
        // Whatever keeps it from being refreshed, the proof says itself.
        if !isYoung { _ = try? await client.refresh(of: person) }
        let before = try await provenAt(person)
        do throws(AuthError) {
            try await proof()
        } catch {
            guard error.mayHaveActed, (try? await client.refresh(of: person)) != nil,
                Self.isLater(try await provenAt(person), than: before)
            else { throw error }
        }
    }

    /// Says that a factor was proven between two states of a session.
    static let provesMore: Shown<Void> = { before, now in
        isLater(now.factorProvenAt, than: before.factorProvenAt) ? () : nil
    }

    private static func isLater(_ now: Int64?, than before: Int64?) -> Bool {
        guard let now else { return false }
        return before.map { $0 < now } ?? true
    }

    /// When the session's newest further factor was proven, in whole UNIX seconds; `nil` if none was.
    private func provenAt(_ person: AccountID) async throws(AuthError) -> Int64? {
        AccessClaims(of: try await client.accessToken(of: person).value).factorProvenAt
    }
}

extension AuthSession {
    fileprivate var factorProvenAt: Int64? {
        tokens[.standard].flatMap { AccessClaims(of: $0.value).factorProvenAt }
    }
}

extension SupabaseHandle.Held {
    /// Whether the session's token came less than `age` ago.
    fileprivate func isYounger(than age: Duration) -> Bool {
        let clock = context.world.clock
        guard let lifetime = session.tokens[.standard]?.lifetime, lifetime.boot == clock.boot else { return false }
        return clock.now() - lifetime.receivedAt < age
    }
}

extension AuthError {
    /// Whether the service may have acted on the request in spite of this error.
    fileprivate var mayHaveActed: Bool {
        if let transport { return transport.wasSent }
        return foreign != nil || code == .serviceTrouble && serviceCode == nil
    }
}
