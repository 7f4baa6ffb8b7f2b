import FoundationEssentials
import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeySupabase
import LatchkeyTesting

/// Makes the calls of a person at Supabase with one answer in the service's place, and then the same calls again, which
/// have to reach the service: no patience is needed, and nobody is signed out.
struct SupabaseGatewayWalk {
    let service: FaultyService
    let gate: GatewaySwitch
    var report: GatewayReport
    private var auth: AuthClient?

    init(_ service: FaultyService, _ gate: GatewaySwitch, _ report: GatewayReport) {
        (self.service, self.gate, self.report) = (service, gate, report)
    }

    private static let mail = "ada@example.test"
    private static let signIn = SignInMethod.password(identifier: mail, Secret("ada-password"))

    /// A client in which Ada is signed in.
    private func signedIn() async throws -> AuthClient {
        var settings = EngineSettings()
        settings.refresh = .onDemand
        let provider = SupabaseProvider.supabase(
            projectURL: service.server.supabaseURL, publishableKey: "sb_publishable_development")
        let auth = try AuthClient.Builder().provider(provider).store(MemoryStore()).transport(gate)
            .context(service.context).settings(settings).build()
        _ = try await auth.signIn(with: "supabase", Self.signIn)
        return auth
    }

    mutating func walk(_ row: GatewayRow) async throws {
        let auth = if let auth { auth } else { try await signedIn() }
        self.auth = auth
        let handle = try auth.supabase()
        var change = SupabaseUserUpdate()
        change.metadata = ["row": .string(row.id)]
        try await call(row, "user", "GET", "/user") { try await handle.user() }
        try await call(row, "user update", "PUT", "/user") { [change] in try await handle.update(change) }
        try await call(row, "others revocation", "POST", "/logout") { try await handle.signOutOthers() }
        try await factor(row, handle)
        try await everywhere(row, auth)
    }

    private mutating func factor(_ row: GatewayRow, _ handle: SupabaseHandle) async throws {
        let begun = try await call(row, "enrolment", "POST", "/factors") { try await handle.enrollTOTP(name: row.id) }
        guard let begun, let secret = begun.secret?.revealText() else { return }
        try await call(row, "challenge", "POST", "/challenge") { try await handle.challenge(begun.id) }
        // After an answer that leaves open what was done, the session rests as long as the request may still arrive.
        let time = service.clock.passing()
        defer { time.cancel() }
        try await call(row, "verification", "POST", "/verify") { [clock = service.clock] in
            let wall = clock.wall().timeIntervalSince1970
            let code = Secret(DevServer.TOTP.code(secret: secret, at: wall) ?? "")
            try await handle.verify(factor: begun.id, code: code)
        }
        time.cancel()
        try await call(row, "removal", "DELETE", "/factors/\(begun.id)") { try await handle.unenroll(begun.id) }
    }

    /// A sign-out everywhere is owed while the gateway answers, and paid by the next command.
    private mutating func everywhere(_ row: GatewayRow, _ auth: AuthClient) async throws {
        let place = "supabase everywhere revocation"
        gate.stop { $0.url.contains("/logout") }
        let told = await outcome { try await auth.signOut(scope: .everywhere) }
        gate.open()
        let owed = try await auth.owedRevocations()
        // What is owed waits as long as the answer asks for: no person waits for it.
        service.clock.advance(by: .seconds(row.wait + 1))
        try await auth.settleRevocations()
        self.auth = nil
        // A plain success without a document is what the service itself answers.
        let isTaken = owed == 0 && row.isPlainSuccess
        let left = service.server.supabaseSessions(of: Self.mail)
        report.note(place, told == "ok" ? nil : "\(row.id) at \(place): \(told)")
        if !isTaken, !left.isEmpty { report.block(row, at: place, "\(left.count) sessions live on") }
    }

    /// Makes a call while the gateway answers its requests, and once more when the service is there again.
    @discardableResult
    private mutating func call<Value: Sendable>(
        _ row: GatewayRow, _ name: String, _ method: String, _ end: String, _ work: () async throws -> Value
    ) async throws -> Value? {
        let place = "supabase \(name)"
        gate.stop { $0.method == method && WebAddress($0.url)?.path.hasSuffix(end) == true }
        report.note(row, at: place, await thrown(work))
        gate.open()
        do { return try await work() } catch {
            report.block(row, at: place, "\(error)")
            if try await auth?.accounts().isEmpty != false { report.lose(row, at: place) }
            auth = try await signedIn()
            return nil
        }
    }
}
