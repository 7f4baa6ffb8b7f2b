import FoundationEssentials
package import Latchkey
package import LatchkeyJSON
import LatchkeyOAuthCore

/// The service over HTTP: what every request carries, and which answers are failures.
package struct SupabaseService: Sendable {
    let provider: SupabaseProvider
    let context: ProviderContext

    package init(provider: SupabaseProvider, context: ProviderContext) {
        self.provider = provider
        self.context = context
    }

    /// Sends a request once. One that only reads has the time of a look-up.
    ///
    /// - Throws: ``SupabaseFailure`` for every status that is not a success;
    ///   ``/Latchkey/TransportError``; the error of a ``/Latchkey/ForeignAnswer`` for a success that
    ///   does not come from the service.
    package func send(_ request: ServiceRequest, isRedeeming: Bool = false) async throws -> TransportResponse {
        let message = request.message(to: provider)
        let response: TransportResponse
        switch message.method {
        case "GET": response = try await context.lookUp(message)
        case _ where isRedeeming: response = try await context.redeem(message)
        default: response = try await context.send(message)
        }
        guard (200...299).contains(response.status) else {
            let answer = ErrorAnswer(response, to: message)
            // The service drops fractions of a second.
            let wait = answer.seconds.map { Duration.seconds($0 + 1) }
            throw SupabaseFailure(
                answer: answer, retryAfter: RetryAfter.read(response.fields, now: context.serverNow) ?? wait)
        }
        let first = response.body.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let isPage = isBlocked(response) || first == nil && !Self.mayBeEmpty(response)
        guard !isPage, first.map({ $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }) ?? true else {
            throw foreign(response)
        }
        return response
    }

    /// Whether a firewall answered. What people call themselves and their devices is in the service's answers too, and
    /// may hold any of the words by which firewalls are known.
    private func isBlocked(_ response: TransportResponse) -> Bool {
        guard ForeignAnswer(response, from: nil).kind == .blocked else { return false }
        // A firewall's JSON may name an address to go to.
        return !isOwn(response.body, by: Self.members.filter { $0 != "url" })
    }

    /// Whether an empty success may be the service's: one that promises a page is not.
    private static func mayBeEmpty(_ response: TransportResponse) -> Bool {
        ForeignAnswer(response, from: nil).kind == .unreadable
    }

    /// The error for a success that is not the service's.
    func foreign(_ response: TransportResponse) -> AuthError {
        AuthError(
            ForeignAnswer(response, from: provider.authURL), provider: provider.name,
            retryAfter: RetryAfter.read(response.fields, now: context.serverNow))
    }

    /// Sends a request and returns the answer's JSON.
    func json(_ request: ServiceRequest) async throws -> JSON { try read(await send(request)) { $0 } }

    /// Sends a request whose answer says nothing but that it was done.
    ///
    /// - Parameter isEmpty: Whether the service answers it with 204. All other calls bring a document, if only `{}`.
    /// - Throws: What ``send(_:)`` throws; the error of a ``/Latchkey/ForeignAnswer`` for an answer that is not of the
    ///   service's form, such as a gateway's notice of maintenance with status 200.
    func acknowledged(_ request: ServiceRequest, isEmpty: Bool = false) async throws {
        let response = try await send(request)
        guard isEmpty && response.status == 204 || isOwn(response.body) else { throw foreign(response) }
    }

    /// Sends a request and returns the session in the answer.
    ///
    /// - Parameter isRotation: Whether the answer replaces the refresh token of a session that is signed in. Then the
    ///   new one is kept, whatever is wrong with the rest of the answer.
    func session(
        _ request: ServiceRequest, isRotation: Bool = false, isRedeeming: Bool = false
    ) async throws -> SessionAnswer {
        let response = try await send(request, isRedeeming: isRedeeming)
        if isRotation, let rotated = TokenAnswer.rotatedToken(response) { context.carry(rotated) }
        let body = try? JSON.parse(response.body)
        guard Self.sessionMembers.contains(where: { body?[$0] != nil }) else { throw foreign(response) }
        do { return try read(response, SessionAnswer.init) } catch {
            if !isRotation { giveBack(response) }
            throw error
        }
    }

    /// Hands over the tokens of an answer that is refused: they would live on at the service, and no program would know
    /// of them.
    func giveBack(_ response: TransportResponse) {
        let tokens = GivenTokens(response)
        // The service ends a session by its access token alone.
        guard let access = tokens.access else { return }
        let session = AuthSession(
            id: AuthSession.ID(context.world.randomName()), account: AccountID(unnamedAt: provider.binding),
            tokens: [.standard: AccessToken(access, lifetime: nil)])
        context.giveBack(
            Credential(
                id: Credential.ID(context.world.randomName()), binding: provider.binding, refreshToken: tokens.refresh,
                sessions: [session]))
    }

    /// Reads an answer. The error names what is missing.
    package func read<Value>(
        _ response: TransportResponse, _ make: (JSON) throws(JSONError) -> Value
    ) throws(AuthError) -> Value {
        do throws(JSONError) {
            return try make(JSON.parse(response.body))
        } catch {
            guard isOwn(response.body) else { throw foreign(response) }
            throw AuthError(.untrusted(.malformed), "The answer cannot be used: \(error).", provider: provider.name)
        }
    }

    /// Whether an answer that lacks something is of the service's form at all.
    private func isOwn(_ body: [UInt8], by names: [String] = Self.members) -> Bool {
        let document = try? JSON.parse(body)
        guard let members = document?.object ?? document?.array?.first?.object else { return false }
        return members.isEmpty || names.contains { members[$0] != nil }
    }

    private static let sessionMembers = ["access_token", "refresh_token", "token_type", "user"]

    private static let members = [
        "access_token", "refresh_token", "token_type", "user", "id", "aud", "factors", "type", "url", "provider",
        "identities", "credential", "challenge_id", "external", "users",
        "options", "expires_at", "friendly_name", "created_at", "message_id",
    ]
}

extension SupabaseProvider {
    /// Runs `work` and turns the service's failures into errors for the app.
    func worded<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let failure as SupabaseFailure {
            throw failure.authError(name)
        }
    }
}
