import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore
import LatchkeyPluginKit

/// The previous token of a session, which some instances want with each request for the next one.
struct PreviousToken: Sendable {
    let session: AuthSession.ID
    private let held: Secret?

    /// - Parameter held: A token that is held here. It may be one of an earlier session of the person.
    init(_ session: AuthSession.ID, _ held: Secret?) {
        self.session = session
        let isOwn = held.flatMap { try? TokenClaims(of: $0)["sid"]?.string }.map { $0 == session.value } ?? true
        self.held = isOwn ? held : nil
    }

    /// Returns the token that is held here, or else the last one that the service knows: a program that has just
    /// started holds none.
    ///
    /// - Parameter isDoubted: Whether the service has just refused the one that is held.
    func text(_ service: ClerkService, isDoubted: Bool = false) async throws -> String? {
        if let held, !isDoubted { return held.revealText() }
        return try await newest(service) ?? held?.revealText()
    }

    private func newest(_ service: ClerkService) async throws -> String? {
        let sessions = try await service.get("/client")["sessions"]?.array ?? []
        guard !service.isForeign else { return nil }
        let own = sessions.first { $0["id"]?.string == session.value }
        return own?["last_active_token"]?["jwt"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension ClerkProvider {
    /// Whether the instance mints tokens at the edge.
    func mintsAtEdge(_ service: ClerkService) async throws -> Bool {
        if let usesSessionMinter { return usesSessionMinter }
        return try await service.environment().mintsAtEdge
    }

    /// Mints a token without a template. Some instances ask for the previous token: first in the
    /// form and, if they do not find it there, in the query. The query appears in the logs of
    /// servers in between, so it comes last. That token has expired, or is about to.
    func mint(
        at path: String, _ form: FormParameters, bringing previous: PreviousToken, _ service: ClerkService,
        _ isEdge: Bool
    ) async throws -> JSON {
        var first = form
        let brought = isEdge ? try await previous.text(service) : nil
        if let brought { first.add("token", brought) }
        do { return try await service.post(path, first) } catch let failure as ClerkFailure {
            guard failure.mayWantPreviousToken(brought != nil) else { throw failure }
            // The environment may have said otherwise when it was read.
            await service.forgetEnvironment()
            guard let token = try await previous.text(service, isDoubted: brought != nil) else { throw failure }
            var whole = form
            whole.add("token", token)
            do { return try await service.post(path, whole) } catch let again as ClerkFailure {
                guard again.code == Self.missingToken else { throw again }
                let query = FormParameters(of: ["expired_token": token])
                return try await service.send("POST", path, query, body: Array(FormEncoding.encode(form).utf8))
            }
        }
    }

    static let missingToken = "missing_expired_token"
}

extension ClerkFailure {
    /// Whether the instance may want the previous token: it says so, or by a code that is not published, and has not got
    /// the token.
    fileprivate func mayWantPreviousToken(_ wasSent: Bool) -> Bool {
        if code == ClerkProvider.missingToken { return true }
        return !wasSent && code != nil && !isPublished && [400, 422].contains(status)
    }
}
