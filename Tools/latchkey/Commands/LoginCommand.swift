import Latchkey
import LatchkeyJSON

extension Option {
    static let issuer = value("issuer", "URL", .url, "The service's issuer URL, exactly as the service writes it")
    static let clientID = value("client-id", "ID", .text, "The client that was registered there")
    static let clientSecretFile = value(
        "client-secret-file", "FILE", .file, "Takes the client's secret from the first line of this private file")
    static let clientSecretEnvironment = flag(
        "client-secret-env",
        "Takes the client's secret from $LATCHKEY_CLIENT_SECRET, for this service and client alone")
    static let askClientSecret = flag("ask-client-secret", "Asks for the client's secret, each time it is needed")
    static let device = flag("device", "Shows a code to enter on another device, and waits")
    static let noBrowser = flag("no-browser", "Prints the address instead of opening a browser")
    static let exposeAddress = flag(
        "expose-address",
        "Starts the browser with the service's own address, which other users of the machine can read and take part"
            + " in the sign-in; for browsers that come by a mapped port of a container")
    static let port = value(
        "port", "PORT", .port, "The port of the redirect address, where the service wants a fixed one")
    static let redirectURI = value(
        "redirect-uri", "URL", .url,
        "The redirect address as the service has it, such as http://localhost or http://127.0.0.1:8400/cb, instead of"
            + " http://127.0.0.1/callback; without a port, any free one. A browser to which https://localhost ever"
            + " demanded https (HSTS) does not reach http://localhost")
    static let loginHint = value(
        "account", "NAME", .text,
        "Who signs in: for Supabase a mail address or number; another service gets it as a hint, and anybody else is refused"
    )
    static let clientSecretInBody = flag(
        "client-secret-in-body", "Sends the client's secret in the body, for services that do not take HTTP Basic")
    static let clientSecretRaw = flag(
        "client-secret-raw",
        "Sends the client's id and secret by HTTP Basic as they are, for services that do not decode them (RFC 6749,"
            + " section 2.3.1)")
    static let loginAudience = value(
        "audience", "URI", .text, "Makes tokens for this audience or resource possible later", repeats: true)
    static let scope = value(
        "scope", "SCOPE", .text,
        "Asks for this scope, beside those that the profile has, and instead of openid, profile, email and offline_access;"
            + " none of these is added to it",
        repeats: true)
    static let noScope = flag(
        "no-scope", "Asks for no scope instead of openid, profile, email and offline_access: the service's own default")
    static let service = flag(
        "client-credentials", "Signs the client itself in with its secret, without a person (RFC 6749, section 4.4)")
    static let withToken = flag(
        "with-token",
        "Takes over a session from standard input: a refresh token, or for Supabase the JSON that another client stored"
    )
    static let caFile = value(
        "ca-file", "FILE", .file, "Trusts the authorities in this PEM file instead of the system's")
    static let proxyServer = value(
        "proxy", "URL", .url, "Reaches the service by this HTTP proxy instead of the environment's https_proxy")
    static let product = value(
        "product", "NAME/VERSION", .text, "Names this product before latchkey in the User-Agent of every request")
    static let trustAudience = value(
        "trust-audience", "NAME", .text, "Accepts ID tokens that name this audience beside the client", repeats: true)
    static let consent = value(
        "consent", "WHEN", .words(["always", "never"]),
        "Asks for consent with offline_access; unless given, where the service may need it")
    static let reuseInterval = value(
        "reuse-interval", "DURATION", .duration,
        "Says for how long the service repeats its answer to a used refresh token, such as 5s: a token whose answer was"
            + " lost is sent again within half of it")
    static let detach = flag(
        "detach", "Prints what the service wants and ends; \"latchkey answer\" goes on, in any process")
}

extension Command {
    static let login = Command(
        name: "login", summary: "Signs in, and keeps the settings as a profile",
        details: [
            "The first time, --issuer and --client-id say where; the profile remembers them. The client's secret,"
                + " where there is one, comes from --client-secret-file, with --client-secret-env from $LATCHKEY_CLIENT_SECRET,"
                + " or from the terminal with --ask-client-secret; the profile remembers which, never the secret. Without"
                + " the option the variable is not read: it goes only to the service and the client for which you gave it.",
            "What the service's document says decides what is asked for. A service without OpenID Connect is not asked who"
                + " the person is, and the session has no name. For one without any document, give --client-id with"
                + " --authorization-endpoint (or --device-endpoint) and --token-endpoint instead of --issuer.",
            "For Supabase, give --supabase and --key, for Clerk --clerk with the publishable key; then --password, --code,"
                + " --link or --provider, and --account to say who. Further factors are asked for if the person has them. A password is asked for at the"
                + " terminal or comes from standard input, never from an argument. Whether an address has an account is not told: a"
                + " code is asked for in any case, and --sign-up makes the account.",
            "--forgot is for a lost password: the service sends a code, and with it you set a new password. From a"
                + " script, --code-from-stdin reads the code and --password-from-stdin the new password, a line each; or"
                + " --detach ends after the sending, and \"latchkey answer\" goes on.",
            "Without a terminal, --device, --link and --no-browser print their lines to standard error and wait.",
            "The session is kept in the desktop's keyring if one answers, else in unencrypted files that only you may"
                + " read, or in one encrypted file with --store encrypted; a profile keeps its place. $LATCHKEY_STORE"
                + " demands that a place is at least as good: file, keyring or encrypted.",
        ],
        examples: [
            Example(
                "latchkey login --issuer https://id.example.com --client-id my-tool", "manual.example.login"),
            Example("latchkey login --device", "manual.example.device"),
            "latchkey login --scope repo:read",
            "latchkey login --issuer https://id.example.com --client-id robot --client-credentials --client-secret-file ~/.robot",
            "latchkey login --supabase https://abc.supabase.co --key sb_publishable_… --account ada@example.com",
            "latchkey login --profile work --with-token < refresh-token.txt",
        ],
        output: [
            ("profile", "The profile that was made or used"),
            ("store", "kind (unencryptedFiles, keyring or encryptedFile) and path of where the session is kept"),
        ] + AccountReport.members
            + ChallengeReport.members.map { ("\($0.member)", "With --detach: \($0.meaning)") },
        options: [
            .issuer, .clientID, .clientSecretFile, .clientSecretEnvironment, .askClientSecret, .clientSecretInBody,
            .clientSecretRaw, .device, .service, .withToken,
            .noBrowser,
            .exposeAddress, .port, .redirectURI, .supabase, .key, .clerk, .proxy, .password, .passwordFromInput, .code,
            .link,
            .connection, .signUp, .forgot, .guest, .codeFromInput,
            .loginHint, .hint, .prompt, .acr, .maxAge, .locale, .parameter, .scope, .noScope, .loginAudience,
            .trustAudience, .trustIssuer, .consent, .revocationReach, .reuseInterval,
            .allowOrigin, .caFile, .proxyServer, .product,
            .store, .passphraseFromInput, .acceptDirectory,
            .authorizationEndpoint, .tokenEndpoint, .deviceEndpoint, .revocationEndpoint, .userinfoEndpoint,
            .detach, .verbose, .profile, .json,
        ],
        run: { invocation in
            var profile = try LoginProfile.make(invocation)
            try LoginPerson.check(profile, invocation.arguments)
            try await LoginProfile.checkUnused(profile, invocation)
            let known = try invocation.profiles().profile(profile.name)
            if let known, try await isLocal(invocation, known) { return try keep(profile, invocation) }
            profile.place = try await PlaceRule(invocation: invocation).choose(profile, known: known)
            try invocation.profiles().checkSaving(profile)
            sayUnusedSecret(profile, known, invocation)
            let first = known == nil ? try await FirstLogin(invocation, profile) : nil
            var store: (any CrossProcessStore)?
            do {
                let workplace = try await Workplace.open(invocation, profile)
                store = workplace.store
                return try await run(workplace)
            } catch {
                await first?.undo(store)
                throw error
            }
        })

    /// Says that a secret in the environment is not sent, unless the profile has worked without one.
    private static func sayUnusedSecret(_ profile: Profile, _ known: Profile?, _ invocation: Invocation) {
        guard known?.secretReceiver != profile.secretReceiver, ClientSecrets.isUnused(by: profile, in: invocation)
        else { return }
        let words = invocation.shown(
            "login.secretUnused",
            ["variable": ClientSecrets.variable, "option": "--\(Option.clientSecretEnvironment.name)"])
        invocation.console.note("latchkey: \(Console.printable(words))")
    }

    private static func run(_ workplace: Workplace) async throws -> ExitStatus {
        let invocation = workplace.invocation
        for (old, new) in try await DamagedRecords.setAside(workplace.places) {
            let words = invocation.shown("login.setAside", ["path": old, "aside": new])
            invocation.console.note("latchkey: \(Console.printable(words))")
        }
        // Checked before a browser opens or a mail is sent: do not ask for a session that cannot be kept.
        try await Places.tryOut(workplace.store, in: invocation.world)
        return try await invocation.clients.toTheEnd(invocation.world.clock) {
            // Told before the new session is made: afterwards, it may end that one too, and is dropped.
            await workplace.settle()
            return invocation.arguments.has(.detach) ? try await detach(workplace) : try await signIn(workplace)
        }
    }

    /// Whether the options only change what the service is not asked about, and somebody is signed in.
    private static func isLocal(_ invocation: Invocation, _ known: Profile) async throws -> Bool {
        let quiet: [Option] = [.verbose, .serviceTimeout, .profile, .json]
        guard invocation.arguments.names(beside: ProfileEdit.local + quiet).isEmpty,
            ProfileEdit.local.contains(where: { invocation.arguments.has($0) })
        else { return false }
        return try await !Workplace(invocation, known).accounts().isEmpty
    }

    private static func keep(_ profile: Profile, _ invocation: Invocation) throws -> ExitStatus {
        try invocation.profiles().save(profile)
        try invocation.profiles().setDefault(profile.name)
        try ProfileReport(profile: profile, isDefault: true).show(
            invocation, saying: invocation.texts("profiles.changed", ["profile": profile.name]))
        return .success
    }

    private static func signIn(_ workplace: Workplace) async throws -> ExitStatus {
        if workplace.invocation.arguments.has(.withToken) {
            let account = try await TakeOver.signIn(workplace)
            try remember(workplace)
            try await show(account, of: workplace)
            return .success
        }
        let request = try await request(workplace)
        try DirectLogin.checkAnswers(to: request, byLink: workplace.profile.method == .link, workplace.invocation)
        let end = try await DirectLogin.converse(workplace, request, try await options(workplace))
        try remember(workplace)
        await workplace.settle()
        switch end {
        case .signedIn(let session): try await show(session.account, of: workplace)
        case .continuesElsewhere(let place): try show(place, of: workplace)
        }
        return .success
    }

    private static func detach(_ workplace: Workplace) async throws -> ExitStatus {
        var options = try await options(workplace)
        if [.browser, .link].contains(workplace.profile.method) || workplace.profile.service == .clerk {
            options.redirect = Presenters.detachedRedirect(workplace.profile)
        }
        let request = try await request(workplace)
        let step = try await workplace.waiting("progress.asking") { [options] client throws(AuthError) in
            try await client.begin(request, with: Composition.provider(of: workplace.profile), options: options)
        }
        // The default profile stays as it is until the person has signed in.
        try workplace.invocation.profiles().save(workplace.profile)
        if case .asked = step {} else { try workplace.becomeDefault() }
        switch step {
        case .signedIn(let session): try await show(session.account, of: workplace)
        case .asked(let challenge):
            let report = ChallengeReport(challenge: challenge)
            if case .visit = challenge.ask, let note = Presenters.redirectNote(options.redirect, workplace) {
                workplace.invocation.console.note("latchkey: \(note)")
            }
            try workplace.invocation.show(report.json, report.lines(workplace.invocation.texts))
        case .continuesElsewhere(let place): try show(place, of: workplace)
        }
        return .success
    }

    /// Tells the person where to continue.
    static func show(_ place: Elsewhere, of workplace: Workplace) throws {
        let texts = workplace.invocation.texts
        let sentence =
            switch place {
            case .message(_, let address?): texts("elsewhere.messageTo", ["address": address])
            case .message(_, nil): texts("elsewhere.message")
            case .page(let url): texts("elsewhere.page", ["url": url])
            case .approval: texts("elsewhere.approval")
            case .signIn: texts("elsewhere.signIn")
            }
        var members: [String: JSON] = ["profile": .string(workplace.profile.name), "signedIn": false]
        if case .page(let url) = place { members["url"] = .string(url) }
        try workplace.invocation.show(.object(members), [sentence])
    }

    private static func request(_ workplace: Workplace) async throws -> SignInRequest {
        if workplace.profile.service.isDirect { return try await DirectLogin.request(workplace) }
        switch workplace.profile.method {
        case .device: return .signIn(.device)
        case .service: return .signIn(.clientCredentials)
        default: return .signIn(.browser())
        }
    }

    private static func options(_ workplace: Workplace) async throws -> SignInOptions {
        var options = SignInOptions()
        if !workplace.profile.keepsDefaultScopes { options.scopes = workplace.profile.scopes }
        try await LoginPerson.fill(&options, workplace)
        return options
    }

    private static func remember(_ workplace: Workplace) throws {
        ClientSecrets.sayOnce(workplace.profile, workplace.invocation)
        try workplace.invocation.profiles().save(workplace.profile)
        try workplace.becomeDefault()
    }

    /// Returns lines that say where the session is, and how it would be safer.
    private static func kept(_ report: PlaceReport, of workplace: Workplace) -> [String] {
        let (invocation, texts) = (workplace.invocation, workplace.invocation.texts)
        var report = report
        // It is open now. That it will be locked again is no news.
        report.isOpen = nil
        let words = texts("login.place", ["place": report.words(texts)])
        guard report.place == .file else { return [words] }
        let command = invocation.line("store migrate --to encrypted", for: workplace.profile.name)
        return [words, texts("login.encrypt", ["command": command])]
    }

    /// Shows who is signed in now.
    static func show(_ account: AccountID, of workplace: Workplace) async throws {
        guard let found = try await workplace.accounts().first(where: { $0.id == account }) else { return }
        if workplace.profile.service == .oauth { LoginPerson.note(found, workplace.invocation) }
        let report = AccountReport(account: found, now: workplace.invocation.world.clock.wall())
        var members = report.json
        members["profile"] = .string(workplace.profile.name)
        let (place, texts) = (await workplace.places.report(), workplace.invocation.texts)
        members["store"] = place.json
        try workplace.invocation.show(
            .object(members),
            [texts("login.done", ["account": report.name(texts), "profile": workplace.profile.name])]
                + kept(place, of: workplace))
        guard workplace.profile.service == .oauth, let end = report.notRefreshable(workplace.invocation.shown) else {
            return
        }
        let advice = workplace.invocation.shown("hint", ["hint": LoginPerson.adviceOnRefreshing(workplace)])
        for words in ["latchkey: \(end)", advice] { workplace.invocation.console.note(Console.printable(words)) }
    }
}

extension String {
    /// The word as a shell reads it: in quotes if it has more than letters, digits and marks that mean nothing there.
    var quotedForShell: String {
        let isPlain =
            !isEmpty
            && utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "-_./:=@%+,".utf8.contains(byte)
            }
        return isPlain ? self : "'" + replacing("'", with: #"'\''"#) + "'"
    }
}
