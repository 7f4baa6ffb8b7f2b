import Latchkey
import LatchkeyJSON

extension Option {
    static let issuer = value("issuer", "URL", .url, "The identity service's issuer, as it writes itself")
    static let clientID = value("client-id", "ID", .text, "The client that was registered there")
    static let clientSecretFile = value(
        "client-secret-file", "FILE", .file, "Takes the client's secret from the first line of this private file")
    static let askClientSecret = flag("ask-client-secret", "Asks for the client's secret, each time it is needed")
    static let device = flag("device", "Shows a code to enter on another device, and waits")
    static let noBrowser = flag("no-browser", "Prints the address instead of opening a browser")
    static let port = value(
        "port", "PORT", .port, "The port of the redirect address, where the service wants a fixed one")
    static let loginHint = value("account", "NAME", .text, "Tells the service who is expected to sign in")
    static let clientSecretInBody = flag(
        "client-secret-in-body", "Sends the client's secret in the body, for services that do not take HTTP Basic")
    static let loginAudience = value(
        "audience", "URI", .text, "Makes tokens for this audience or resource possible later", repeats: true)
    static let scope = value("scope", "SCOPE", .text, "Asks for this scope", repeats: true)
    static let detach = flag(
        "detach", "Prints what the service wants and ends; \"latchkey answer\" goes on, in any process")
}

extension Command {
    static let login = Command(
        name: "login", summary: "Signs in, and remembers with what",
        details: [
            "The first time, --issuer and --client-id say where; the profile remembers them. The client's secret,"
                + " where there is one, comes from --client-secret-file, from $LATCHKEY_CLIENT_SECRET, or from the"
                + " terminal with --ask-client-secret; the profile remembers which, never the secret.",
            "Without a terminal, --device and --no-browser print their lines to standard error and wait. The session"
                + " is kept in unencrypted files that only you may read; \"latchkey status\" shows where.",
        ],
        output: [("profile", "The profile that was made or used")] + AccountReport.members
            + ChallengeReport.members.map { ("\($0.member)", "With --detach: \($0.meaning)") },
        options: [
            .issuer, .clientID, .clientSecretFile, .askClientSecret, .clientSecretInBody, .device, .noBrowser, .port,
            .loginHint, .scope, .loginAudience, .allowOrigin, .detach, .profile, .json,
        ],
        run: { invocation in
            let profile = try LoginProfile.make(invocation)
            try await LoginProfile.checkUnused(profile, invocation)
            let workplace = try await Workplace.open(invocation, profile)
            return invocation.arguments.has(.detach)
                ? try await detach(workplace) : try await signIn(workplace)
        })

    private static func signIn(_ workplace: Workplace) async throws -> ExitStatus {
        let session = try await Presenters.signIn(workplace, options(workplace))
        try remember(workplace)
        await workplace.settle()
        try await show(session.account, of: workplace)
        return .success
    }

    private static func detach(_ workplace: Workplace) async throws -> ExitStatus {
        var options = options(workplace)
        if workplace.profile.method == .browser {
            options.redirect = Presenters.detachedRedirect(workplace.profile)
        }
        let step = try await workplace.waiting("Asking") { client throws(AuthError) in
            try await client.begin(
                .signIn(workplace.profile.method == .device ? .device : .browser()),
                with: Composition.provider, options: options)
        }
        try remember(workplace)
        switch step {
        case .signedIn(let session): try await show(session.account, of: workplace)
        case .asked(let challenge):
            let report = ChallengeReport(challenge: challenge)
            try workplace.invocation.show(report.json, report.lines)
        }
        return .success
    }

    private static func options(_ workplace: Workplace) -> SignInOptions {
        var options = SignInOptions()
        options.scopes = workplace.profile.scopes
        options.loginHint = workplace.invocation.arguments[.loginHint]
        return options
    }

    private static func remember(_ workplace: Workplace) throws {
        let store = try workplace.invocation.profiles()
        try store.save(workplace.profile)
        try store.setDefault(workplace.profile.name)
    }

    /// Says who is signed in now.
    static func show(_ account: AccountID, of workplace: Workplace) async throws {
        guard let found = try await workplace.accounts().first(where: { $0.id == account }) else { return }
        let report = AccountReport(account: found, now: workplace.invocation.world.clock.wall())
        var members = report.json
        members["profile"] = .string(workplace.profile.name)
        try workplace.invocation.show(
            .object(members), ["Signed in as \(report.name) (profile \(workplace.profile.name))."])
    }
}
