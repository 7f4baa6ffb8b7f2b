import Latchkey
import LatchkeyCommand
import LatchkeyDevServer

/// Runs the development server as its command line says.
@main
enum Serving {
    static func main() { LatchkeyTool.main(serving: serve) }

    @Sendable private static func serve(_ line: DevServerLine) async throws {
        let faults = try line.faults.map(line.fault)
        let configuration = try configuration(line)
        let server = try start(configuration, line)
        defer { server.stop() }
        for fault in faults where !server.inject(fault) { throw line.mistake("usage.faultRange") }
        try ServingReport(server: server, configuration: configuration, line: line).show()
        await line.untilStopped()
    }

    private static func configuration(_ line: DevServerLine) throws -> DevServer.Configuration {
        var configuration = DevServer.Configuration(port: line.port, autoApprove: line.approvesAll)
        if let users = try line.users() {
            configuration.users = users
            configuration.supabase.users = users.map {
                DevServer.SupabaseUser(email: $0.email, password: $0.password)
            }
        }
        if line.tellsRequests { configuration.report = { line.note("\($0)") } }
        for setting in line.projectSettings {
            try ProjectSettings(line: line).apply(setting, to: &configuration.supabase)
        }
        configuration.clerk.settings = Set(line.clerkSettings.compactMap(DevServer.ClerkSetting.init(rawValue:)))
        for redirect in line.redirects { configuration.allow(redirect: redirect) }
        if let lifetime = line.tokenLifetime {
            guard lifetime.components.attoseconds == 0, lifetime > .zero else { throw line.mistake("usage.lifetime") }
            configuration.accessTokenLifetime = Int(lifetime.components.seconds)
            configuration.supabase.accessTokenLifetime = configuration.accessTokenLifetime
            configuration.clerk.tokenLifetime = configuration.accessTokenLifetime
        }
        return configuration
    }

    private static func start(_ configuration: DevServer.Configuration, _ line: DevServerLine) throws -> DevServer {
        do { return try DevServer(configuration) } catch {
            throw line.failure(.configuration(.invalid), "error.devServer", ["problem": "\(error)"])
        }
    }
}
