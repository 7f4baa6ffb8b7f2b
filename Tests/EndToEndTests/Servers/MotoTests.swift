import FoundationEssentials
import Latchkey
import LatchkeyCognito
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeyJSON
import LatchkeyTesting
import Testing

@Suite(
    "Cognito as moto has it, over real sockets",
    .serialized, .enabled(if: ServerKind.moto.isWanted, Comment(rawValue: ServerKind.moto.missing)))
struct MotoTests {
    /// A device: a folder of its own, and a client of each process.
    private final class Device: Sendable {
        private let folder = "\(FileManager.default.temporaryDirectory.path)/latchkey-\(UUID().uuidString)"
        private let pool: MotoPool
        private let provider: CognitoProvider

        init(_ pool: MotoPool, _ provider: CognitoProvider? = nil) {
            self.pool = pool
            self.provider = provider ?? pool.provider
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        /// A client as the next process would make it.
        func client() throws -> AuthClient {
            var settings = EngineSettings()
            settings.refresh = .onDemand
            return try AuthClient.Builder()
                .provider(provider).store(.file(unencryptedAt: folder)).transport(pool.tap).settings(settings).build()
        }
    }

    private let tap = Tap(CurlTransport())

    private func pool(wantsApp: Bool = false, hasSecret: Bool = false) async throws -> MotoPool {
        let server = try await Servers.shared.server(.moto)
        return try await MotoPool(at: server.issuer, over: tap, wantsApp: wantsApp, hasSecret: hasSecret)
    }

    private func signIn(
        _ auth: AuthClient, _ user: String, _ password: String, as person: MotoPerson = MotoPerson()
    ) async throws -> AuthSession {
        let method = SignInMethod.password(identifier: user, Secret(password))
        return try await auth.signIn(with: "cognito", method, asking: person.presenter)
    }

    /// What was asked of moto that succeeded, as the check prints it.
    private func report(_ tap: Tap) -> String {
        let done = tap.cognitoCalls.filter { $0.status == 200 }
        func count(_ names: Set<String>) -> Int { done.count { names.contains($0.name) } }
        let tokens = done.count { $0.grants && $0.name != "REFRESH_TOKEN_AUTH" }
        let factors = count(["SOFTWARE_TOKEN_MFA", "SMS_MFA", "VerifySoftwareToken"])
        return "sign-ins=\(tokens) factors=\(factors) refreshes=\(count(["REFRESH_TOKEN_AUTH"]))"
            + " revoked=\(count(["GlobalSignOut"]))"
    }

    private func tell(_ test: String) { print("cognito: \(test) \(report(tap))") }

    @Test("From a first password to an app's codes, tokens in two processes, and their end everywhere")
    func life() async throws {
        let pool = try await pool(wantsApp: true)
        try await pool.add("ada", password: "Temporary-1", permanent: false)
        let phone = Device(pool)
        let auth = try phone.client()
        #expect(await code { _ = try await signIn(auth, "ada", "Wrong-word-1") } == .refused(.wrongInput))
        #expect(await code { _ = try await signIn(auth, "nobody", "Temporary-1") } == .refused(.wrongInput))
        let newcomer = MotoPerson(fields: ["password": "Permanent-1"])
        let first = try await signIn(auth, "ada", "Temporary-1", as: newcomer)
        #expect(first.account.value.hasPrefix("cognito https://cognito-idp.us-east-1.amazonaws.com/us-east-1_"))

        let laptop = Device(pool)
        let second = try await signIn(try laptop.client(), "ada", "Permanent-1")
        #expect(second.account == first.account)
        let before = try await auth.accessToken()
        let tokens = [try await auth.refresh(), try await auth.refresh(), try await phone.client().refresh()]
        #expect(Set((tokens + [before]).map { $0.value.revealText() }).count == 4)

        #expect(try await auth.signOut(scope: .everywhere) == .revoked)
        #expect(await code { _ = try await laptop.client().refresh() } == .signInRequired(.refused))
        #expect(await code { _ = try await phone.client().accessToken() } == .signInRequired(.signedOut))
        tell("life")
    }

    @Test("From a sign-up to an authenticator app of one's own will, and from a lost password to a new one")
    func account() async throws {
        let pool = try await pool()
        let auth = try Device(pool).client()
        let form = SignUpForm(
            identifier: "bob", password: Secret("Password-1"), fields: ["email": "bob@example.test"])
        let end = try await auth.converse(.signUp(form), with: "cognito", asking: MotoPerson().presenter)
        guard case .continuesElsewhere(.signIn) = end else { throw ServerFailure(description: "bob is not confirmed") }
        let session = try await signIn(auth, "bob", "Password-1")
        let method = SignInMethod.custom(name: CognitoProvider.authenticatorApp)
        let linked = try await auth.link(method, asking: MotoPerson().presenter)
        #expect(linked.session?.id == session.id)
        _ = try await auth.refresh()

        let forgetful = MotoPerson(fields: ["code": "123456", "password": "Password-2"])
        let presenter = forgetful.presenter
        let back = try await auth.converse(.recover(identifier: "bob"), with: "cognito", asking: presenter)
        #expect(back.session?.account == session.account)
        #expect(presenter.challenges.map(\.ask.description) == ["2 fields", "code of an authenticator app"])
        #expect(await code { _ = try await signIn(auth, "bob", "Password-1") } == .refused(.wrongInput))
        tell("account")
    }

    @Test("A code that came by text message is asked for and sent, though moto does not look at it")
    func message() async throws {
        let pool = try await pool()
        try await pool.add("dave", password: "Password-1", permanent: true, sms: true)
        let person = MotoPerson().presenter
        let auth = try Device(pool).client()
        let method = SignInMethod.password(identifier: "dave", Secret("Password-1"))
        _ = try await auth.signIn(with: "cognito", method, asking: person)
        #expect(person.challenges.map(\.ask) == [.code(over: .sms, sentTo: nil)])
        tell("message")
    }

    @Test("A client with a secret signs in and refreshes by it")
    func secret() async throws {
        let pool = try await pool(hasSecret: true)
        try await pool.add("carol", password: "Password-1", permanent: true)
        let device = Device(pool)
        let auth = try device.client()
        _ = try await signIn(auth, "carol", "Password-1")
        _ = try await auth.refresh()
        #expect(try await auth.signOut(scope: .everywhere) == .revoked)
        tell("secret")
    }

    @Test("What moto lacks of Cognito is told by name, and no call of it is taken for done")
    func missing() async throws {
        let pool = try await pool()
        let calls: [(name: String, shows: String, members: JSON)] = [
            ("RevokeToken", "the end of one session", ["Token": "token"]),
            ("GetTokensFromRefreshToken", "rotation", ["RefreshToken": "token"]),
            ("ResendConfirmationCode", "a code sent again", ["Username": "bob"]),
            ("ConfirmDevice", "devices", ["DeviceKey": "device"]),
            ("InitiateAuth", "codes as the first factor", ["AuthFlow": "USER_AUTH", "AuthParameters": [:]]),
        ]
        var missing: [String] = []
        for call in calls where try await pool.status(call.name, call.members) != 200 {
            missing.append("\(call.shows) (\(call.members["AuthFlow"]?.string ?? call.name))")
        }
        print("cognito-missing: \(missing.joined(separator: "; "))")
        #expect(missing.count == calls.count, "moto has learnt something: test the provider at it")
        try await pool.add("eve", password: "Password-1", permanent: true)
        let auth = try Device(pool).client()
        _ = try await signIn(auth, "eve", "Password-1")
        #expect(try await auth.signOut() == .revocationQueued)
    }
}

extension Tap {
    /// A call of Cognito's: its operation, or the flow or challenge where there is one.
    struct CognitoCall: Sendable {
        var name: String
        var status: Int
        /// Whether it brought tokens.
        var grants: Bool
    }

    /// The calls so far.
    var cognitoCalls: [CognitoCall] {
        exchanges("").map { request, response in
            let asked = (try? JSON.parse(request.body ?? [])) ?? .null
            let operation = request.fields["X-Amz-Target"]?.split(separator: ".").last.map(String.init) ?? ""
            let answer = try? JSON.parse(response.body)
            return CognitoCall(
                name: asked["AuthFlow"]?.string ?? asked["ChallengeName"]?.string ?? operation,
                status: response.status, grants: answer?["AuthenticationResult"] != nil)
        }
    }
}
