import Latchkey
import LatchkeyDevServer
import LatchkeyJSON

extension Option {
    static let serverPort = value("port", "PORT", .port, "Listens on this port of 127.0.0.1 instead of any free one")
    static let tokenLifetime = value(
        "token-lifetime", "DURATION", .duration, "How long access tokens last, in whole seconds; default 5m")
    static let redirects = value(
        "redirect", "URL", .url, "Lets codes and links lead to this address too, such as http://localhost:8765",
        repeats: true)
    static let users = value(
        "users", "FILE", .file,
        "Has these people instead of ada and grace: a JSON array of objects with name, password and perhaps displayName"
    )
    static let requestLog = flag(
        "log", "Tells on standard error of each request: endpoint, grant, what came of it; no token, code or password")
    static let fault = value(
        "fault", "FAULT", .text,
        "Lets requests fail: KIND@ENDPOINT, then ,count=N ,status=N ,seconds=N or ,milliseconds=N as the kind needs",
        repeats: true)
    static let gotrue = value(
        "gotrue", "NAME=VALUE", .text, "Configures the Supabase project, such as autoconfirm=on or reuse-interval=0s",
        repeats: true)
    static let clerkSetting = value(
        "clerk-setting", "NAME", .words(DevServer.ClerkSetting.allCases.map(\.rawValue)),
        "Switches the Clerk instance to this, such as single-session or setup-mfa", repeats: true)
    static let autoApprove = flag("auto-approve", "Signs the first user in without asking")
}

extension Command {
    static let devServer = Command(
        name: "dev-server", summary: "Runs an identity service for development on this machine",
        details: [
            "Runs until Ctrl-C or SIGTERM. Everything is in memory and gone then. For development only: its users'"
                + " passwords are printed on purpose, and it answers this machine alone.",
            "--gotrue sets what a project is configured with. On or off: \(DevServerProject.switchNames). A duration:"
                + " \(DevServerProject.durationNames). A number up to 1000: \(DevServerProject.numberNames). And"
                + " tokens=v1 or v2, signing=ES256 or HS256, secret=TEXT for HS256, captcha=TEXT for the only answer that"
                + " is taken, providers=NAME,NAME or none, address-field=NAME for the header field by which requests of one"
                + " address are limited.",
            "--clerk-setting sets what a Clerk instance has in its dashboard: \(DevServerSettings.clerkNames). With"
                + " allow-list, visits that came from an address of --redirect get the nonce, and no others.",
            "The mail and text messages that it sends are at /inbox, and as JSON at /inbox.json; ?to=ADDRESS for one"
                + " recipient.",
        ],
        examples: [
            "latchkey dev-server --port 8400 --auto-approve", "latchkey dev-server --users people.json --log",
            "latchkey dev-server --gotrue tokens=v1 --gotrue reuse-interval=0s --gotrue autoconfirm=on",
            "latchkey dev-server --clerk-setting single-session --clerk-setting setup-mfa",
            "latchkey dev-server --fault status@token,status=503,count=2 --fault delay@discovery,milliseconds=3000",
        ],
        output: [
            ("issuer", "Its address, for latchkey login --issuer, or --supabase"),
            ("clerk", "An object: publishableKey, secretKey, proxyUrl, settings, users with email and password"),
            ("users", "A list of objects: name, password"),
            ("clients", "A list of objects: clientId, grants, and secret for a confidential one"),
            (
                "supabase",
                "An object: url, publishableKey, secretKey, jwtSecret with HS256, inbox, users with email and password"
            ),
        ],
        options: [
            .serverPort, .tokenLifetime, .users, .redirects, .autoApprove, .gotrue, .clerkSetting, .requestLog, .fault,
            .json,
        ],
        run: { invocation in
            let faults = try invocation.arguments.all(.fault).map(DevServerSettings.fault)
            let configuration = try configuration(invocation)
            let server = try start(configuration)
            defer { server.stop() }
            for fault in faults where !server.inject(fault) {
                throw UsageError("usage.faultRange", command: invocation.arguments.command)
            }
            try invocation.show(json(server, configuration), lines(server, configuration, invocation.texts))
            let clock = invocation.world.clock
            while !Task.isCancelled { try? await clock.sleep(until: clock.now() + .seconds(3_600)) }
            return .success
        })

    private static func configuration(_ invocation: Invocation) throws -> DevServer.Configuration {
        let arguments = invocation.arguments
        var configuration = DevServer.Configuration(
            port: arguments.port(.serverPort) ?? 0, autoApprove: arguments.has(.autoApprove))
        if let path = arguments[.users] {
            configuration.users = try DevServerSettings.users(in: path, invocation)
            configuration.supabase.users = configuration.users.map {
                DevServer.SupabaseUser(email: $0.email, password: $0.password)
            }
        }
        if arguments.has(.requestLog) {
            let console = invocation.console
            configuration.report = { console.note(Console.printable("\($0)")) }
        }
        for setting in arguments.all(.gotrue) {
            try DevServerProject.apply(setting, to: &configuration.supabase)
        }
        configuration.clerk.settings = Set(
            arguments.all(.clerkSetting).compactMap(DevServer.ClerkSetting.init(rawValue:)))
        for redirect in arguments.all(.redirects) { configuration.allow(redirect: redirect) }
        if let lifetime = arguments.duration(.tokenLifetime) {
            guard lifetime.components.attoseconds == 0, lifetime > .zero else {
                throw UsageError(
                    "usage.lifetime",
                    command: arguments.command)
            }
            configuration.accessTokenLifetime = Int(lifetime.components.seconds)
            configuration.supabase.accessTokenLifetime = configuration.accessTokenLifetime
            configuration.clerk.tokenLifetime = configuration.accessTokenLifetime
        }
        return configuration
    }

    private static func start(_ configuration: DevServer.Configuration) throws -> DevServer {
        do {
            return try DevServer(configuration)
        } catch {
            throw ToolError(.configuration(.invalid), "error.devServer", ["problem": "\(error)"])
        }
    }

    private static func json(_ server: DevServer, _ configuration: DevServer.Configuration) -> JSON {
        let clients = configuration.clients.map { client -> JSON in
            var members: [String: JSON] = [
                "clientId": .string(client.id), "grants": .array(grants(client).map { .string($0) }),
            ]
            members["secret"] = client.secret.map { .string($0) }
            return .object(members)
        }
        return [
            "issuer": .string(server.issuer), "clients": .array(clients),
            "users": .array(
                configuration.users.map { ["name": .string($0.name), "password": .string($0.password)] }),
            "supabase": supabase(server, configuration.supabase), "clerk": clerk(server, configuration.clerk),
        ]
    }

    private static func clerk(_ server: DevServer, _ settings: DevServer.Clerk) -> JSON {
        [
            "publishableKey": .string(settings.publishableKey), "proxyUrl": .string(server.clerkURL),
            "secretKey": .string(settings.secretKey),
            "settings": .array(settings.settings.map(\.rawValue).sorted().map(JSON.string)),
            "users": .array(
                settings.users.map { user -> JSON in
                    ["email": .string(user.email), "password": user.password.map(JSON.string) ?? .null]
                }),
        ]
    }

    private static func supabase(_ server: DevServer, _ settings: DevServer.Supabase) -> JSON {
        let keys = keys(server, settings)
        var members: [String: JSON] = [
            "url": .string(server.supabaseURL), "publishableKey": .string(keys.publishable),
            "secretKey": .string(keys.secret), "inbox": .string(server.issuer + "/inbox"),
            "users": .array(
                settings.users.map { user -> JSON in
                    ["email": .string(user.email), "password": user.password.map(JSON.string) ?? .null]
                }),
        ]
        if settings.signing == .hs256 { members["jwtSecret"] = .string(settings.secret) }
        return .object(members)
    }

    /// Returns the project's keys. A service without a gateway knows no other keys than its own tokens.
    private static func keys(
        _ server: DevServer, _ settings: DevServer.Supabase
    ) -> (publishable: String, secret: String) {
        if let key = settings.publishableKey { return (key, settings.secretKey) }
        return (
            server.supabaseLegacyKey(role: "anon") ?? "", server.supabaseLegacyKey(role: "service_role") ?? ""
        )
    }

    private static func lines(_ server: DevServer, _ configuration: DevServer.Configuration, _ texts: ToolTexts)
        -> [String]
    {
        func user(_ name: String, _ password: String) -> String {
            texts("dev.user", ["name": name, "password": password])
        }
        let users = configuration.users.map { (texts("label.user"), user($0.name, $0.password)) }
        let clients = configuration.clients.map { client in
            let values = [
                "client": client.id, "secret": client.secret ?? "", "grants": grants(client).joined(separator: ", "),
            ]
            return (texts("label.client"), texts(client.secret == nil ? "dev.client" : "dev.secret", values))
        }
        let settings = configuration.supabase
        let (url, keys) = (server.supabaseURL, keys(server, settings))
        let key = keys.publishable
        let project = [
            ("supabase", texts("dev.project", ["url": url, "key": key, "secret": keys.secret])),
            (texts("label.inbox"), server.issuer + "/inbox"),
        ]
        let accounts = settings.users.map { (texts("label.account"), user($0.email, $0.password ?? "")) }
        return Columns.lines([(texts("label.issuer"), server.issuer)] + users + clients + project + accounts) + [
            texts(
                "dev.oauth", ["command": "latchkey login --issuer \(server.issuer) --client-id dev-native"]),
            texts("dev.supabase", ["command": "latchkey login --supabase \(url) --key \(key)"]),
            texts(
                "dev.clerk",
                [
                    "command":
                        "latchkey login --clerk \(configuration.clerk.publishableKey) --proxy-url \(server.clerkURL)",
                    "email": configuration.clerk.users.first?.email ?? "",
                    "password": configuration.clerk.users.first?.password ?? "",
                ]),
            texts("dev.stops"),
        ]
    }

    private static func grants(_ client: DevServer.Client) -> [String] { client.grants.map(\.rawValue).sorted() }
}
