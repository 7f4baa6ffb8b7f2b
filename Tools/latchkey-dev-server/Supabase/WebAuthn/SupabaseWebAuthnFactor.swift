import LatchkeyHTTPServer
import LatchkeyJSON

extension SupabaseState {
    /// Creates a request to the factor's authenticator, or for registering one.
    func webAuthnQuestion(
        _ body: SupabaseBody, _ factor: SupabaseFactor, _ person: SupabasePerson
    ) throws(SupabaseFailure) -> (request: WebAuthnRequest, wire: JSON) {
        let asked = try body.object("webauthn") ?? [:]
        guard let party = asked["rpId"]?.string, let origins = asked["rpOrigins"]?.array?.compactMap(\.string),
            !party.isEmpty, !origins.isEmpty
        else { throw .validation("webauthn.rpId and webauthn.rpOrigins are required") }
        let request = WebAuthnRequest(
            challenge: WebAuthnOptions.challenge(), relyingParty: party, origins: origins)
        let options =
            factor.isVerified
            ? WebAuthnOptions.request(request, allowed: [factor.credential].compactMap(\.self))
            : WebAuthnOptions.creation(
                request, name: settings.relyingPartyName, for: person, excluded: [], selection: [:])
        let wire: JSON = [
            "type": .string(factor.isVerified ? "request" : "create"),
            "credential_options": ["publicKey": .object(options)],
        ]
        return (request, wire)
    }

    /// Returns the credential that an authenticator made or used for a factor. A wrong signature has an error of
    /// its own, as in the service.
    func webAuthnAnswer(
        _ body: SupabaseBody, _ factor: SupabaseFactor, _ request: WebAuthnRequest?
    ) throws(SupabaseFailure) -> SupabaseCredential {
        let given = try body.object("webauthn") ?? [:]
        let expected = factor.isVerified ? "request" : "create"
        guard let request, given["type"]?.string == expected, let answer = given["credential_response"] else {
            throw .validation("webauthn.type and webauthn.credential_response are required")
        }
        do throws(WebAuthnCheck.Failure) {
            guard factor.isVerified else { return try WebAuthnCheck.created(answer, for: request) }
            guard var credential = factor.credential else { throw .wrong }
            credential.count = try WebAuthnCheck.signed(answer, for: request, by: credential)
            return credential
        } catch {
            switch error {
            case .unreadable: throw .validation("Invalid credential_response")
            case .wrong: throw SupabaseFailure(500, .unexpectedFailure, "Failed to verify the credential")
            }
        }
    }
}
