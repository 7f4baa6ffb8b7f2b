import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyOAuthCore

/// Checks access tokens that are JSON Web Tokens (RFC 9068), as a server does for each request.
///
/// The issuer's keys are fetched once, again for a key that is not known yet, and again after an hour.
actor TokenCheck {
    private static let algorithms: Set<SignatureAlgorithm> = [.es256, .rs256]
    private let issuer: String
    private let audience: String
    private let keysAt: String
    private let transport: any HTTPTransport
    private let clock: any AuthClock
    private let rule = KeySetRefreshRule()
    private var held = HeldKeySet()
    private var fetch: Task<Void, Never>?

    init(
        issuer: String, audience: String, keysAt: String, transport: any HTTPTransport,
        clock: any AuthClock = SystemClock()
    ) {
        (self.issuer, self.audience, self.keysAt) = (issuer, audience, keysAt)
        (self.transport, self.clock) = (transport, clock)
    }

    /// Returns the claims of a token that is good now.
    ///
    /// - Throws: ``Refused`` with a reason for the log. The caller answers 401.
    func claims(of token: Secret) async throws(Refused) -> JSON {
        let claims: JSON
        do {
            claims = try await signed(token.revealText()).claims()
        } catch {
            throw Refused("the signature: \(error.code.rawValue)")
        }
        guard claims["iss"]?.string == issuer else { throw Refused("another issuer") }
        guard audiences(claims).contains(audience) else { throw Refused("another audience") }
        guard let ends = claims["exp"]?.number, clock.wall().timeIntervalSince1970 < ends else {
            throw Refused("it has ended")
        }
        guard claims["nbf"]?.number ?? 0 <= clock.wall().timeIntervalSince1970 + 60 else {
            throw Refused("it begins later")
        }
        return claims
    }

    /// `aud` is one text or a list of them (RFC 7519, section 4.1.3).
    private func audiences(_ claims: JSON) -> [String] {
        claims["aud"]?.string.map { [$0] } ?? claims["aud"]?.array?.compactMap(\.string) ?? []
    }

    private func signed(_ token: String) async throws(JOSEError) -> JSONWebSignature {
        await fetchKeys(.mismatched)
        do throws(JOSEError) {
            return try JSONWebSignature.verify(compact: token, keys: held.keys, allowed: Self.algorithms)
        } catch {
            guard error.code == .unknownKeyID else { throw error }
            await fetchKeys(.unknownKeyID)
            return try JSONWebSignature.verify(compact: token, keys: held.keys, allowed: Self.algorithms)
        }
    }

    /// Fetches the keys if the rule says so, with one request for all waiting callers.
    private func fetchKeys(_ selection: JSONWebKeySet.Selection) async {
        if let fetch { return await fetch.value }
        guard rule.decide(selection, in: held, now: clock.now()) == .fetch else { return }
        held.beginFetch(at: clock.now())
        let task = Task {
            let answer = try? await transport.send(TransportRequest("GET", keysAt), deadline: .seconds(10))
            let keys = answer.flatMap { $0.status == 200 ? try? JSONWebKeySet(parsing: JSON.parse($0.body)) : nil }
            held.endFetch(with: keys, at: clock.now())
        }
        fetch = task
        await task.value
        fetch = nil
    }
}

/// Why a token is refused. It holds nothing of the token.
struct Refused: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
