import FoundationEssentials
import Latchkey
import LatchkeyClerk
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyFileStore

/// Plays the life of two people at a Clerk instance, which is the development server in this same program. Each
/// step checks its result, and the first failure ends the program.
///
///     clerk-life DIRECTORY
@main
struct ClerkLife {
    let server: DevServer
    let auth: AuthClient
    let key: String

    static func main() async throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: clerk-life DIRECTORY")
            return
        }
        var configuration = DevServer.Configuration()
        // Every answer replaces the client token, and a session token is valid for four seconds.
        (configuration.clerk.rotation, configuration.clerk.tokenLifetime) = (.always, 4)
        let server = try DevServer(configuration)
        let key = configuration.clerk.publishableKey
        let auth = try AuthClient.Builder()
            .provider(.clerk(publishableKey: key, proxyURL: server.clerkURL))
            .store(.file(unencryptedAt: CommandLine.arguments[1]))
            .transport(.curl())
            .build()
        let life = ClerkLife(server: server, auth: auth, key: key)
        do {
            let secret = try await life.signUp()
            try await life.second()
            try await life.backend()
            try await life.background()
            try await life.prove(secret)
            try await life.leave()
        } catch let error as AuthError {
            print("Failed: \(error.message) (what to do: \(error.recovery.rawValue))")
            throw error
        }
        if let unstored = await auth.finish() { throw unstored }
    }

    private static let lin = "lin@example.test"
    private static let ada = "ada+clerk_test@example.test"

    private func account(_ label: String) async throws -> AccountID {
        guard let found = try await auth.accounts().first(where: { $0.label == label }) else { throw Missed(label) }
        return found.id
    }

    /// Signs up with the code from the mail, and adds an authenticator app to the account.
    private func signUp() async throws -> Secret {
        let form = SignUpForm(identifier: Self.lin, password: Secret("a long enough password"))
        let end = try await auth.clerk().converse(.signUp(form), asking: Person(server: server, app: nil))
        try check(end.session?.label == Self.lin, "signed up by the mail's code", "the account is \(Self.lin)")
        let enrolment = try await auth.clerk().enrollTOTP()
        let app = Secret(enrolment.key)
        _ = try await auth.clerk().verifyTOTP(Person.code(of: app))
        let codes = try await auth.clerk().makeBackupCodes()
        let user = try await auth.clerk().me()
        try check(
            user.hasTOTP, "enrolled an authenticator app", "the service says so, and gave \(codes.count) backup codes")
        return app
    }

    private func second() async throws {
        try await auth.clerk().signIn(
            .password(identifier: Self.ada, Secret("ada-password")), asking: Person(server: server, app: nil))
        try check(
            server.clerkClientCount == 1 && server.clerkSessionCount == 2, "signed in a second person",
            "the server has \(server.clerkSessionCount) sessions on \(server.clerkClientCount) client")
    }

    /// Gets a token for an organization, and checks it as a backend does: with the instance's keys, which it
    /// fetches.
    private func backend() async throws {
        let token = try await auth.accessToken(for: .organization("org_engines"), of: account(Self.ada))
        let verifier = try ClerkTokenVerifier(
            publishableKey: key, proxyURL: server.clerkURL, transport: CurlTransport())
        let claims = try await verifier.verify(token.value)
        try check(
            claims.organization?.id == "org_engines" && claims.has(role: "org:admin"),
            "got a token for an organization", "a backend reads the role \(claims.organization?.role ?? "none") in it")
    }

    /// Checks that tokens are renewed without a call from the app.
    private func background() async throws {
        let accounts = [try await account(Self.lin), try await account(Self.ada)]
        for account in accounts { _ = try await auth.accessToken(of: account) }
        let before = accounts.map { auth.currentToken(of: $0)?.value }
        try await Task.sleep(for: .seconds(9))
        let after = accounts.map { auth.currentToken(of: $0)?.value }
        let isNew = zip(before, after).allSatisfy { $0 != $1 && $1 != nil }
        try check(isNew, "waited for nine seconds", "both have other tokens, which nobody asked for")
    }

    private func prove(_ app: Secret) async throws {
        let lin = try await account(Self.lin)
        _ = try await auth.stepUp(
            StepUp(acr: ["second_factor"]), account: lin, asking: Person(server: server, app: app))
        let claims = try ClerkClaims(unverified: try await auth.accessToken(of: lin).value)
        try check(
            claims.minutesSinceSecondFactor == 0, "proved the app once more",
            "the token says that it was \(claims.minutesSinceSecondFactor ?? -1) minutes ago")
    }

    private func leave() async throws {
        let result = try await auth.signOut(of: account(Self.lin))
        let left = try await auth.accounts().map(\.label)
        _ = try await auth.refresh(of: account(Self.ada))
        try check(
            result == .revoked && left == [Self.ada] && server.clerkSessionCount == 1, "signed one of the two out",
            "the server has \(server.clerkSessionCount) session left, and the other's next token is good")
    }

    private func check(_ holds: Bool, _ done: String, _ shown: String) throws {
        guard holds else { throw Missed(done) }
        print("ok  \(done): \(shown)")
    }
}
