public import Latchkey
import LatchkeyJSON
import LatchkeyPluginKit

/// Clerk, by its Frontend API as native programs use it.
///
/// The credential is the client token. Session tokens last a minute and are minted under it, for an organization or by a
/// template where that is asked for: `accessToken(for: .organization("org_…"))`, `accessToken(for: .template("…"))`.
///
/// | Situation | What happens |
/// | --- | --- |
/// | The first factor is open | ``/Latchkey/Ask/password``, or a code that is sent; ``/Latchkey/Ask/choose(_:)`` between several |
/// | A second factor is wanted, or this device is new to the service | ``/Latchkey/Ask/totp``, ``/Latchkey/Ask/backupCode``, a code that is sent, or ``/Latchkey/Ask/choose(_:)`` |
/// | A password is lost | a code that is sent, then ``/Latchkey/Ask/newPassword(rules:)``, which signs in |
/// | A sign-up lacks something | ``/Latchkey/Ask/fields(_:)`` with the service's names; then the code that was sent |
/// | Somebody without an account signs in by a browser or an ID token | a sign-up goes on with what the other service said |
/// | A proof is asked for once more | ``/Latchkey/StepUp/acr`` is `first_factor`, `second_factor` or `multi_factor`; a backend's 403 says which |
/// | A passkey is used, or chosen as a factor | ``/Latchkey/Ask/passkey(request:)`` with the options of WebAuthn; the answer is ``/Latchkey/Answer/assertion(_:)``, the credential as JSON |
/// | The service wants a captcha or an attested device | `refused(.captcha)`: the instance's attack protection has to exempt native programs |
///
/// ``/Latchkey/Answer/resend`` has a code sent again.
///
/// What the service does is as its specification of 2026-05-12 says.
public struct ClerkProvider: Sendable {
    /// The name within the client.
    public var name: ProviderID
    /// The publishable key as it was given; ``/Latchkey/AuthClient/Builder/build()`` checks it.
    public var publishableKey: String
    /// Where the Frontend API is reached instead of at its own host, such as `https://example.com/__clerk`.
    public var proxyURL: String?
    /// Whether the instance mints at the edge: `auth_config.session_minter` of its environment. Each mint brings the token
    /// before then, and one that is as old as that is asked for again from the origin.
    public var usesSessionMinter = false

    /// The address of the Frontend API that a publishable key names, such as `https://clerk.example.com`.
    ///
    /// - Throws: `configuration(.invalid)` for a key that is none, which names what is wrong.
    public static func frontendAPI(publishableKey: String) throws(AuthError) -> String {
        "https://\(try PublishableKey(publishableKey).host)"
    }

    /// The host that the key names; empty where the key is none, which ``checkConfiguration()`` says.
    var host: String { (try? PublishableKey(publishableKey))?.host ?? "" }

    /// Where the calls go, without a slash at the end.
    var base: String {
        guard var proxy = proxyURL?[...] else { return "https://\(host)" }
        while proxy.hasSuffix("/") { proxy.removeLast() }
        return String(proxy)
    }

    /// An error of this provider.
    func error(_ code: AuthError.Code, _ message: String) -> AuthError { AuthError(code, message, provider: name) }
}

extension AuthProvider where Self == ClerkProvider {
    /// A Clerk instance, by its publishable key.
    ///
    /// - Parameters:
    ///   - publishableKey: `pk_test_…` or `pk_live_…`, from the dashboard. A malformed one is refused by
    ///     ``/Latchkey/AuthClient/Builder/build()``.
    ///   - proxyURL: Where the Frontend API is reached instead of at its own host; `https`, or this machine.
    public static func clerk(
        publishableKey: String, proxyURL: String? = nil, named name: ProviderID = "clerk"
    ) -> ClerkProvider {
        ClerkProvider(name: name, publishableKey: publishableKey, proxyURL: proxyURL)
    }
}

extension ClerkProvider: AuthProvider {
    /// Tokens minted under a client token that any answer may replace.
    public var rules: ProviderRules {
        ProviderRules(
            binding: ProviderBinding(provider: name, authority: "https://\(host)", client: "native"),
            methods: [.password, .code, .link, .browser, .enterprise, .idToken, .ticket, .passkey, .custom],
            refresh: .mints,
            capabilities: [.signUp, .recovery, .audiences, .stepUp, .signOutOfOthers, .signOutEverywhere],
            customMethods: [DeviceToken.method], sharesCredential: true)
    }

    /// Starts signing in, making an account, or getting back into one.
    ///
    /// - Throws: ``/Latchkey/AuthError``, ``/Latchkey/TransportError``.
    public func begin(
        _ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext
    ) async throws -> Turn {
        if let moved = try DeviceToken(request, of: self) { return try await moved.turn(of: self, in: context) }
        let credential = context.principal?.credential ?? context.shared
        let service = ClerkService(self, context, token: credential?.refreshToken, of: credential)
        return try await talking(service, on: credential) { service in
            let shared = context.principal == nil ? context.shared?.id.value : nil
            return try await ClerkConversation(service, shared.map { ["shared": .string($0)] } ?? [:])
                .begin(request, options)
        }
    }

    /// Goes on with what the person answers. A decline leaves nothing to end: the service forgets by itself.
    public func answer(_ answer: Answer, to challenge: Challenge, in context: ProviderContext) async throws -> Turn {
        let pending = challenge.state.object ?? [:]
        // On the client that it began on, with the token of the moment where others are signed in on that one.
        let shared = context.shared.flatMap { pending["shared"]?.string == $0.id.value ? $0 : nil }
        let credential = context.principal?.credential ?? shared
        let token = credential?.refreshToken ?? pending["token"]?.string.map { Secret($0) }
        return try await talking(ClerkService(self, context, token: token, of: credential), on: credential) { service in
            try await ClerkConversation(service, pending).answer(answer, to: challenge)
        }
    }

    /// What is asked next, and an error, hand no client token back: of somebody who is signed in, the lane gets it so.
    private func talking(
        _ service: ClerkService, on credential: Credential?, _ talk: (ClerkService) async throws -> Turn
    ) async throws -> Turn {
        var service = service
        let shared = service.context.principal == nil ? service.context.shared : nil
        service.wording = { failure in
            guard failure.code == "identifier_already_signed_in", let session = failure.namedSession, shared != nil
            else {
                return failure.error(isSigningIn: true)
            }
            return AlreadySignedIn(session: session)
        }
        defer { if credential != nil { service.carry() } }
        do { return try await talk(service) } catch let already as AlreadySignedIn {
            // No proof was asked for: only what is signed in here already is taken up.
            guard let shared, shared.session(AuthSession.ID(already.session)) != nil else {
                throw error(.refused(.other), "The person has left this session; the service is still to be told.")
            }
            let pending: Pending = ["shared": .string(shared.id.value)]
            return try await ClerkConversation(service, pending).granted(already.session)
        }
    }

    /// The service names the session by which the person is signed in on this client.
    private struct AlreadySignedIn: Error {
        let session: String
    }
}

extension ClerkProvider: ConfigurationChecking {
    /// Returns when key and proxy can be used.
    ///
    /// - Throws: `configuration(.invalid)`, which names what is wrong.
    public func checkConfiguration() throws(AuthError) {
        do throws(AuthError) { _ = try PublishableKey(publishableKey) } catch {
            throw self.error(error.code, error.message)
        }
        guard let proxyURL else { return }
        guard let address = WebAddress(proxyURL), address.isSecure, address.query == nil, address.fragment == nil else {
            throw error(.configuration(.invalid), "The proxy's address is not one such as https://example.com/__clerk.")
        }
    }
}
