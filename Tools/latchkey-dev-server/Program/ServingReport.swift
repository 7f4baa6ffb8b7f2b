import LatchkeyCommand
import LatchkeyDevServer
import LatchkeyJSON

/// What the program says once the server listens.
struct ServingReport {
    let server: DevServer
    let configuration: DevServer.Configuration
    let line: DevServerLine

    func show() throws {
        func user(_ name: String, _ password: String) -> String {
            line.text("dev.user", ["name": name, "password": password])
        }
        let users = configuration.users.map { (line.text("label.user"), user($0.name, $0.password)) }
        let clients = configuration.clients.map { client in
            let values = [
                "client": client.id, "secret": client.secret ?? "", "grants": grants(client).joined(separator: ", "),
            ]
            return (line.text("label.client"), line.text(client.secret == nil ? "dev.client" : "dev.secret", values))
        }
        let settings = configuration.supabase
        let url = server.supabaseURL
        let key = keys.publishable
        let project = [
            ("supabase", line.text("dev.project", ["url": url, "key": key, "secret": keys.secret])),
            (line.text("label.inbox"), server.issuer + "/inbox"),
        ]
        let accounts = settings.users.map { (line.text("label.account"), user($0.email, $0.password ?? "")) }
        let rows = [(line.text("label.issuer"), server.issuer)] + users + clients + project + accounts
        let lines = [
            line.text(
                "dev.oauth", ["command": "latchkey login --issuer \(server.issuer) --client-id dev-native"]),
            line.text("dev.supabase", ["command": "latchkey login --supabase \(url) --key \(key)"]),
            line.text(
                "dev.clerk",
                [
                    "command":
                        "latchkey login --clerk \(configuration.clerk.publishableKey) --proxy-url \(server.clerkURL)",
                    "email": configuration.clerk.users.first?.email ?? "",
                    "password": configuration.clerk.users.first?.password ?? "",
                ]),
            line.text("dev.stops"),
        ]
        try line.show(json, rows: rows, lines: lines)
    }

    private func grants(_ client: DevServer.Client) -> [String] { client.grants.map(\.rawValue).sorted() }

    private var json: JSON {
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
            "supabase": supabase, "clerk": clerk,
        ]
    }

    private var clerk: JSON {
        let settings = configuration.clerk
        return [
            "publishableKey": .string(settings.publishableKey), "proxyUrl": .string(server.clerkURL),
            "secretKey": .string(settings.secretKey),
            "settings": .array(settings.settings.map(\.rawValue).sorted().map(JSON.string)),
            "users": .array(
                settings.users.map { user -> JSON in
                    ["email": .string(user.email), "password": user.password.map(JSON.string) ?? .null]
                }),
        ]
    }

    private var supabase: JSON {
        let settings = configuration.supabase
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
    private var keys: (publishable: String, secret: String) {
        let settings = configuration.supabase
        if let key = settings.publishableKey { return (key, settings.secretKey) }
        return (
            server.supabaseLegacyKey(role: "anon") ?? "", server.supabaseLegacyKey(role: "service_role") ?? ""
        )
    }
}
