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
    static let autoApprove = flag("auto-approve", "Signs the first user in without asking")
}

extension Command {
    static let devServer = Command(
        name: "dev-server", summary: "Runs an identity service for development on this machine",
        details: [
            "Runs until Ctrl-C or SIGTERM. Everything is in memory and gone then. For development only: its users'"
                + " passwords are printed on purpose, and it answers this machine alone."
        ],
        output: [
            ("issuer", "Its address, for latchkey login --issuer, or --supabase"),
            ("users", "A list of objects: name, password"),
            ("clients", "A list of objects: clientId, grants, and secret for a confidential one"),
            ("supabase", "An object: url, publishableKey, secretKey, inbox, users with email and password"),
        ],
        options: [.serverPort, .tokenLifetime, .redirects, .autoApprove, .json],
        run: { invocation in
            let configuration = try configuration(invocation.arguments)
            let server = try start(configuration)
            defer { server.stop() }
            try invocation.show(json(server, configuration), lines(server, configuration))
            let clock = invocation.world.clock
            while !Task.isCancelled { try? await clock.sleep(until: clock.now() + .seconds(3_600)) }
            return .success
        })

    private static func configuration(_ arguments: Arguments) throws -> DevServer.Configuration {
        var configuration = DevServer.Configuration(
            port: arguments.port(.serverPort) ?? 0, autoApprove: arguments.has(.autoApprove))
        for redirect in arguments.all(.redirects) { configuration.allow(redirect: redirect) }
        if let lifetime = arguments.duration(.tokenLifetime) {
            guard lifetime.components.attoseconds == 0, lifetime > .zero else {
                throw UsageError(
                    "The value of --token-lifetime is not one second or more, in whole seconds",
                    command: arguments.command)
            }
            configuration.accessTokenLifetime = Int(lifetime.components.seconds)
            configuration.supabase.accessTokenLifetime = configuration.accessTokenLifetime
        }
        return configuration
    }

    private static func start(_ configuration: DevServer.Configuration) throws -> DevServer {
        do {
            return try DevServer(configuration)
        } catch {
            throw AuthError(.configuration(.invalid), "The server cannot start: \(error)")
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
            "supabase": supabase(server, configuration.supabase),
        ]
    }

    private static func supabase(_ server: DevServer, _ settings: DevServer.Supabase) -> JSON {
        [
            "url": .string(server.supabaseURL), "publishableKey": settings.publishableKey.map(JSON.string) ?? .null,
            "secretKey": .string(settings.secretKey), "inbox": .string(server.issuer + "/inbox"),
            "users": .array(
                settings.users.map { user -> JSON in
                    ["email": .string(user.email), "password": user.password.map(JSON.string) ?? .null]
                }),
        ]
    }

    private static func lines(_ server: DevServer, _ configuration: DevServer.Configuration) -> [String] {
        let users = configuration.users.map { ("user", "\($0.name), password \($0.password)") }
        let clients = configuration.clients.map { client in
            let secret = client.secret.map { ", secret \($0)" } ?? ""
            return ("client", "\(client.id)\(secret) (\(grants(client).joined(separator: ", ")))")
        }
        let settings = configuration.supabase
        let project = [
            (
                "supabase",
                "\(server.supabaseURL), key \(settings.publishableKey ?? ""), secret key \(settings.secretKey)"
            ),
            ("inbox", server.issuer + "/inbox"),
        ]
        let accounts = settings.users.map { ("account", "\($0.email), password \($0.password ?? "")") }
        return Columns.lines([("issuer", server.issuer)] + users + clients + project + accounts) + [
            "Development only. Sign in with: latchkey login --issuer \(server.issuer) --client-id dev-native",
            "or with: latchkey login --supabase \(server.supabaseURL) --key \(settings.publishableKey ?? "")",
            "Stops at Ctrl-C.",
        ]
    }

    private static func grants(_ client: DevServer.Client) -> [String] { client.grants.map(\.rawValue).sorted() }
}
