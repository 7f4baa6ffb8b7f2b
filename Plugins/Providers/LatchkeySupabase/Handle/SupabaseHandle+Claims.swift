import FoundationEssentials
public import Latchkey
import LatchkeyCrypto
public import LatchkeyJSON
import LatchkeySystem
import LatchkeyOAuthCore

extension SupabaseHandle {
    /// Returns the claims of the access token, after checking it with the project's keys. If the
    /// service signs with a shared secret, or with a key that it does not publish, the service
    /// itself checks the token.
    ///
    /// - Throws: `untrusted(.signature)` for a token whose signature is wrong.
    public func claims() async throws(AuthError) -> JSON {
        try await run { held in
            let keys = ProjectKeys(service: held.service)
            if let claims = try await keys.claims(of: held.token) { return (CredentialChange(), claims) }
            let user = try await held.service.user(.user(held.token))
            return (held.change(user), AccessClaims(of: held.token).json)
        }
    }
}

/// A project's keys, fetched once for all callers, and again for an unknown key, at most once a minute.
private struct ProjectKeys: Sendable {
    let service: SupabaseService

    private static let rule = KeySetRefreshRule()
    private static let algorithms: Set<SignatureAlgorithm> = [.rs256, .rs512, .es256, .es512, .edDSA]

    /// Returns the claims, or `nil` if the keys here cannot check the token.
    func claims(of token: Secret) async throws -> JSON? {
        let compact = token.revealText()
        let held = try await service.context.cache.value("supabase keys \(service.provider.authURL)") {
            (Locked(HeldKeySet()), fresh: Freshness.ceiling)
        }
        do throws(JOSEError) {
            return try check(compact, held)
        } catch {
            guard let isUnknown = Self.isUnknown(error) else { throw failure(error) }
            let state = held.withLock { $0 }
            guard isUnknown,
                Self.rule.decide(.unknownKeyID, in: state, now: service.context.world.clock.now()) == .fetch
            else { return nil }
        }
        try await fetch(into: held)
        do throws(JOSEError) {
            return try check(compact, held)
        } catch {
            guard Self.isUnknown(error) != nil else { throw failure(error) }
            return nil
        }
    }

    /// `true`: another key set may have the key; `false`: the key is not a published one; `nil`:
    /// the token is wrong.
    private static func isUnknown(_ error: JOSEError) -> Bool? {
        switch error.code {
        case .unknownKeyID, .noKey: true
        case .algorithmNotAllowed: false
        default: nil
        }
    }

    private func failure(_ error: JOSEError) -> AuthError {
        AuthError(
            .untrusted(.signature), "The access token does not hold: \(error.code).", provider: service.provider.name)
    }

    private func check(_ compact: String, _ held: Locked<HeldKeySet>) throws(JOSEError) -> JSON {
        let keys = held.withLock { $0.keys }
        return try JSONWebSignature.verify(compact: compact, keys: keys, allowed: Self.algorithms).claims()
    }

    private func fetch(into held: Locked<HeldKeySet>) async throws {
        let clock = service.context.world.clock
        held.withLock { $0.beginFetch(at: clock.now()) }
        let json = try await service.json(.keys())
        held.withLock { $0.endFetch(with: try? JSONWebKeySet(parsing: json), at: clock.now()) }
    }
}
