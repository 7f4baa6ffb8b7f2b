public import FoundationEssentials
public import Latchkey
public import LatchkeyJSON

/// A sign-in that the person completes on another device
/// ([RFC 8628, section 3.2](https://www.rfc-editor.org/rfc/rfc8628#section-3.2)).
public struct DeviceAuthorization: Sendable {
    /// The code to poll with.
    public var deviceCode: Secret
    /// The code that the person enters.
    public var userCode: String
    /// The address at which the person enters the code.
    public var verificationURI: String
    /// The same address with the code in it.
    public var completeURI: String?
    /// How long both codes last; at most a day.
    public var expiresIn: Duration
    /// The least time between two polls, 1 to 300 seconds; 5 if the service does not say.
    public var interval: Duration

    /// The longest time between two polls.
    public static let longestInterval = Duration.seconds(300)

    /// Returns the request (section 3.1).
    ///
    /// The body names the client whether it authenticates or not: services that read only the body refuse the request
    /// without it (Ory Hydra).
    ///
    /// `pkce` binds the device code to this client, as RFC 7636 binds an authorization code. RFC 8628 has no such
    /// parameter, and services that do not know it ignore it.
    ///
    /// `extra` has parameters that are specific to the service. One whose name is in the request already is left out.
    public static func request(
        scopes: [String], resources: [String] = [], pkce: ProofKey? = nil, to endpoint: String, clientID: String,
        authentication: ClientAuthentication, extra: [(name: String, value: String)] = []
    ) -> TransportRequest {
        var form = FormParameters()
        if case .basic = authentication { form.add(OAuthWire.clientID, clientID) }
        form.add(OAuthWire.scope, ifAny: scopes.joined(separator: " "))
        for resource in resources { form.add(OAuthWire.resource, resource) }
        if let pkce {
            form.add(OAuthWire.codeChallenge, pkce.challenge)
            form.add(OAuthWire.codeChallengeMethod, ProofKey.method)
        }
        form.addFurther(extra)
        return .form(form, to: endpoint, clientID: clientID, authentication: authentication)
    }

    /// Reads the answer.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - endpoint: The address that was asked, for the error.
    ///   - now: For a `Retry-After` that is a date, by the service's clock.
    /// - Throws: ``/Latchkey/AuthError``; `untrusted(.malformed)` naming a missing member; the error of a
    ///   ``/Latchkey/ForeignAnswer`` for an answer without any of them.
    public static func judge(
        _ response: TransportResponse, from endpoint: String? = nil, now: Date
    ) throws(AuthError) -> DeviceAuthorization {
        let body = try? JSON.parse(response.body)
        let isAnswer = [OAuthWire.deviceCode, OAuthWire.userCode].contains { body?[$0] != nil }
        guard response.status == 200, isAnswer, TokenAnswer.errorCode(in: response.body) == nil else {
            guard case .failure(let failure) = TokenAnswer.judge(response, definite: [], from: endpoint, now: now)
            else { throw AuthError(.untrusted(.malformed), "The device endpoint answered with tokens.") }
            throw failure.authError(of: "device authorization request", at: "device authorization endpoint")
        }
        do throws(JSONError) {
            return try read(response.body)
        } catch {
            throw error.authError(in: "device answer")
        }
    }

    /// Whether a service refuses the request because it wants a proof key: `invalid_request`, and its own words name
    /// the parameter or PKCE. Keycloak answers "Missing parameter: code_challenge_method".
    public static func wantsProofKey(_ response: TransportResponse) -> Bool {
        guard TokenAnswer.errorCode(in: response.body) == OAuthErrorCode.invalidRequest.rawValue,
            let words = ErrorCodeWire.words(in: response.body)?.lowercased()
        else { return false }
        return [OAuthWire.codeChallenge, "code challenge", "pkce"].contains { words.contains($0) }
    }

    /// Reads the body of a successful answer.
    public static func read(_ body: [UInt8]) throws(JSONError) -> DeviceAuthorization {
        let answer = JSONField(try JSON.parse(body))
        func text(_ name: String) throws(JSONError) -> String {
            let text = try answer[name].string()
            guard !text.isEmpty else { throw JSONError(.missing, at: answer[name].path) }
            return text
        }
        let usesOtherName = !answer[OAuthWire.verificationURI].isPresent && answer[OAuthWire.verificationURL].isPresent
        let address = try text(usesOtherName ? OAuthWire.verificationURL : OAuthWire.verificationURI)
        guard WebAddress(address)?.isSecure == true else {
            throw JSONError(.wrongType, at: answer[OAuthWire.verificationURI].path)
        }
        let complete = answer[OAuthWire.verificationURIComplete].value?.string
        let expires = answer[OAuthWire.expiresIn]
        guard expires.isPresent else { throw JSONError(.missing, at: expires.path) }
        guard let expiresIn = WireNumber.seconds(expires.value) else { throw JSONError(.wrongType, at: expires.path) }
        let interval = WireNumber.seconds(answer[OAuthWire.interval].value) ?? .seconds(5)
        return DeviceAuthorization(
            deviceCode: Secret(try text(OAuthWire.deviceCode)), userCode: try text(OAuthWire.userCode),
            verificationURI: address, completeURI: complete.flatMap { WebAddress($0)?.isSecure == true ? $0 : nil },
            expiresIn: min(expiresIn, .seconds(86_400)),
            interval: min(max(interval, .seconds(1)), longestInterval))
    }
}

extension DeviceAuthorization: CustomStringConvertible, CustomReflectable {
    /// The origin at which the code is entered, without the codes.
    public var description: String { "device code <redacted> at \(WebAddress(verificationURI)?.origin ?? "?")" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
