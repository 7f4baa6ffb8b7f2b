public import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyPluginKit

/// A provider for Clerk, through its Frontend API for native programs.
///
/// The credential is the client token. Session tokens last a minute and are minted with it. For an
/// organization or a template, ask with `accessToken(for: .organization("org_…"))` or
/// `accessToken(for: .template("…"))`.
///
/// | Situation | What happens |
/// | --- | --- |
/// | The first factor is needed | ``/Latchkey/Ask/password``, or a code that is sent; ``/Latchkey/Ask/choose(_:)`` between several |
/// | A second factor is needed, or this device is new to the service | ``/Latchkey/Ask/totp``, ``/Latchkey/Ask/backupCode``, a code that is sent, or ``/Latchkey/Ask/choose(_:)`` |
/// | The person has lost the password | a code that is sent, then ``/Latchkey/Ask/newPassword(rules:)``, which signs in |
/// | A sign-up lacks something | ``/Latchkey/Ask/fields(_:)`` with the service's names, then the code that was sent |
/// | A person without an account signs in with a browser or an ID token | a sign-up continues with what the other service said, unless ``createsAccounts`` is off |
/// | A step-up asks for a new proof | ``/Latchkey/StepUp/acr`` is `first_factor`, `second_factor` or `multi_factor`; a backend's 403 says which |
/// | A passkey is used, or chosen as a factor | ``/Latchkey/Ask/passkey(request:)`` with the options of WebAuthn; the answer is ``/Latchkey/Answer/assertion(_:)``, the credential as JSON |
/// | The service wants a captcha or an attested device | `refused(.captcha)`: exempt native programs in the instance's attack protection |
///
/// ``/Latchkey/Answer/resend`` sends a code again.
///
/// The source for the service's behavior is its specification of 2026-05-12.
public struct ClerkProvider: Sendable {
    /// The provider's name within the client.
    public var name: ProviderID
    /// The publishable key as given; ``/Latchkey/AuthClient/Builder/build()`` checks it.
    public var publishableKey: String
    /// The address to use for the Frontend API instead of its own host, such as
    /// `https://example.com/__clerk`.
    public var proxyURL: String?
    /// Whether the instance mints tokens at the edge; `nil` to read it from the instance's environment
    /// (`auth_config.session_minter`), at most once an hour. Each mint then sends the previous token. If the new token is no
    /// newer, it is requested again from the origin.
    public var usesSessionMinter: Bool?
    /// Whether signing in by a password, a code or a link, and a lost password, tell that the service knows no such person
    /// (`form_identifier_not_found`), so that an app can go on to a sign-up. Otherwise a code that was never sent is asked
    /// for, as the service does for a person it knows, and nobody learns from a form which addresses have an account. A
    /// sign-up tells it in any case. The default is `false`.
    public var tellsUnknownPeople = false

    /// Whether a person who signs in with a browser or an ID token, and has no account at the instance, gets one. Otherwise
    /// the sign-in ends with `refused(.other)` and the service's code `external_account_not_found`, so that a wrong choice
    /// at the other service makes no account. The default is `true`. A sign-up makes an account in any case; a password, a
    /// code and a link never do.
    public var createsAccounts = true

    /// Whether a sign-up verifies the address by a link instead of a code, if the instance offers both and the presenter
    /// receives redirects. The default is `false`.
    public var verifiesByLink = false

    /// What the service is told about the device and the app; `nil` for nothing.
    public var device: ClerkDevice?

    /// Returns the address of the Frontend API that a publishable key names, such as
    /// `https://clerk.example.com`.
    ///
    /// - Throws: `configuration(.invalid)` for a malformed key, saying what is wrong.
    public static func frontendAPI(publishableKey: String) throws(AuthError) -> String {
        "https://\(try PublishableKey(publishableKey).host)"
    }

    /// The host that the key names; empty for a malformed key, which ``checkConfiguration()`` reports.
    var host: String { (try? PublishableKey(publishableKey))?.host ?? "" }

    /// The base address of all calls, without a slash at the end.
    var base: String {
        guard var proxy = proxyURL?[...] else { return "https://\(host)" }
        while proxy.hasSuffix("/") { proxy.removeLast() }
        return String(proxy)
    }

    /// Returns an error of this provider.
    func error(_ code: AuthError.Code, _ message: String) -> AuthError { AuthError(code, message, provider: name) }
}

extension AuthProvider where Self == ClerkProvider {
    /// Signs people in at the Clerk instance that a publishable key names.
    ///
    /// - Parameters:
    ///   - publishableKey: The key `pk_test_…` or `pk_live_…` from the dashboard.
    ///     ``/Latchkey/AuthClient/Builder/build()`` refuses a malformed one.
    ///   - proxyURL: The address to use for the Frontend API instead of its own host; `https`, or this machine.
    public static func clerk(
        publishableKey: String, proxyURL: String? = nil, named name: ProviderID = "clerk"
    ) -> ClerkProvider {
        ClerkProvider(name: name, publishableKey: publishableKey, proxyURL: proxyURL)
    }
}

extension ClerkProvider: AuthProvider {
    /// The provider's rules: tokens are minted with a client token that any answer may replace.
    public var rules: ProviderRules {
        var rules = ProviderRules(
            binding: ProviderBinding(provider: name, authority: "https://\(host)", client: "native"),
            methods: [.password, .code, .link, .browser, .enterprise, .idToken, .ticket, .passkey, .custom],
            refresh: .mints,
            capabilities: [.signUp, .recovery, .audiences, .stepUp, .signOutOfOthers, .signOutEverywhere],
            customMethods: [DeviceToken.method], sharesCredential: true)
        rules.leadsElsewhere = true
        return rules
    }

    /// Starts signing in, creating an account, or recovering one.
    ///
    /// - Throws: ``/Latchkey/AuthError``, ``/Latchkey/TransportError``.
    public func begin(
        _ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext
    ) async throws -> Turn {
        if let missing = CryptoLibrary.missing { throw missing }
        if let moved = try DeviceToken(request, of: self) { return try await moved.turn(of: self, in: context) }
        do {
            return try await begin(request, options, onOwnClient: false, in: context)
        } catch let exists as SessionExists {
            if let turn = try await resumed(request, options, after: exists, in: context) { return turn }
            return try await begin(request, options, onOwnClient: true, in: context)
        }
    }

    private func begin(
        _ request: SignInRequest, _ options: SignInOptions, onOwnClient isAlone: Bool, in context: ProviderContext
    ) async throws -> Turn {
        var context = context
        if isAlone { context.shared = nil }
        let credential = context.principal?.credential ?? context.shared
        let service = ClerkService(self, context, token: credential?.refreshToken, of: credential)
        let shared = context.principal == nil ? context.shared?.id.value : nil
        let pending: Pending = Pending().with([
            "creates": .bool(createsAccounts), "links": .bool(verifiesByLink),
            "back": options.redirect.map { .string($0) },
        ])
        return try await talking(service, on: credential) { service in
            try await ClerkConversation(service, pending.with(["shared": shared.map { .string($0) }]))
                .begin(request, options)
        }
    }

    /// Continues with the person's answer. A decline needs no call: the service drops the sign-in by itself.
    public func answer(_ answer: Answer, to challenge: Challenge, in context: ProviderContext) async throws -> Turn {
        if let missing = CryptoLibrary.missing { throw missing }
        let pending = challenge.state.object ?? [:]
        // Continues on the client that the conversation began on. If people are signed in there,
        // with its current client token.
        let shared = context.shared.flatMap { pending["shared"]?.string == $0.id.value ? $0 : nil }
        let credential = context.principal?.credential ?? shared
        let token = credential?.refreshToken ?? pending["token"]?.string.map { Secret($0) }
        do {
            return try await talking(ClerkService(self, context, token: token, of: credential), on: credential) {
                try await ClerkConversation($0, pending).answer(answer, to: challenge)
            }
        } catch let exists as SessionExists {
            throw exists.error
        }
    }

    /// Runs a call and hands on the newest client token. A challenge or an error cannot return it,
    /// so for a signed-in person it goes to the engine.
    private func talking(
        _ service: ClerkService, on credential: Credential?, _ talk: (ClerkService) async throws -> Turn
    ) async throws -> Turn {
        var service = service
        let shared = service.context.principal == nil ? service.context.shared : nil
        service.wording = { failure in
            guard shared != nil else { return failure.error(isSigningIn: true) }
            if failure.code == "session_exists" { return SessionExists(error: failure.error(isSigningIn: true)) }
            guard failure.code == "identifier_already_signed_in", let session = failure.namedSession else {
                return failure.error(isSigningIn: true)
            }
            return AlreadySignedIn(session: session)
        }
        defer { if credential != nil { service.carry() } }
        do { return try await talk(service) } catch var exists as SessionExists {
            exists.token = service.newToken
            throw exists
        } catch let already as AlreadySignedIn {
            // No proof was asked for, so only a session that is already signed in here is used.
            guard let shared, shared.session(AuthSession.ID(already.session)) != nil else {
                if await endUnfinished(already.session, service) {
                    do { return try await talk(service) } catch is AlreadySignedIn {}
                }
                throw error(.refused(.other), "The person has left this session; the service is still to be told.")
            }
            let pending: Pending = ["shared": .string(shared.id.value)]
            return try await ClerkConversation(service, pending).granted(already.session)
        }
    }

    /// The service's answer that the person is already signed in on this client, with the session's id.
    private struct AlreadySignedIn: Error {
        let session: String
    }
}

extension ClerkProvider: ConfigurationChecking {
    /// Checks that key and proxy can be used.
    ///
    /// - Throws: `configuration(.invalid)`, saying what is wrong.
    public func checkConfiguration() throws(AuthError) {
        do throws(AuthError) { _ = try PublishableKey(publishableKey) } catch {
            throw self.error(error.code, error.message)
        }
        if let field = device?.unsendable {
            throw error(
                .configuration(.invalid),
                "What the device is described by cannot be sent (\(field)): 1 to 200 printable characters of ASCII.")
        }
        guard let proxyURL else { return }
        guard let address = WebAddress(proxyURL), address.isSecure, address.query == nil, address.fragment == nil else {
            throw error(.configuration(.invalid), "The proxy's address is not one such as https://example.com/__clerk.")
        }
    }
}
