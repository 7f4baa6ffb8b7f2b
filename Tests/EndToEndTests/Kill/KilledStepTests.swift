import Latchkey
import LatchkeyDevServer
import LatchkeyFileStore
import Proofs
import Testing

/// `kill -9` before, and in the middle of, each thing that a refresh, a sign-in and a sign-out do to disk and network.
@Suite("Killed at every step") struct KilledStepTests {
    /// What the next process found.
    enum Finding: String, CaseIterable {
        /// The login is there, and refreshes.
        case kept
        /// It is over, for the reason that a request had left and its answer was lost.
        case interrupted
        /// Nobody is signed in, and that is what was wanted.
        case signedOut = "signed-out"
        /// Nobody is signed in yet; signing in works.
        case notYet = "not-yet"
    }

    struct Run: Sendable {
        var name: String
        var operation: String
        var rotation = DevServer.Rotation.strict
        var isSignedIn = true

        static let all = [
            Run(name: "refresh, strict service", operation: "refresh"),
            Run(name: "refresh, tolerant service", operation: "refresh", rotation: .graceSameSuccessor),
            Run(name: "sign-in", operation: "sign-in", isSignedIn: false),
            Run(name: "sign-in over a login", operation: "sign-in"),
            Run(name: "sign-out", operation: "sign-out"),
        ]
    }

    @Test(
        "whatever step a process is killed at, the login is kept or its end is explained, and nothing is left locked",
        .law(3))
    func everyStep() async throws {
        let tables = try await withThrowingTaskGroup(of: (Int, [String]).self) { group in
            for (index, run) in Run.all.enumerated() { group.addTask { (index, try await table(run)) } }
            return try await group.reduce(into: [Int: [String]]()) { $0[$1.0] = $1.1 }
        }
        for (_, lines) in tables.sorted(by: { $0.key < $1.key }) { print(lines.joined(separator: "\n")) }
    }

    /// Kills before step 1, 2, 3 … until the operation ends by itself.
    private func table(_ run: Run) async throws -> [String] {
        let server = try Service.start { configuration in
            configuration.rotation = run.rotation
            configuration.rotationGrace = 60
        }
        defer { server.stop() }
        var found: [Finding: Int] = [:]
        var (damaged, locks) = (0, 0)
        var lines: [String] = []
        for step in 1... {
            try #require(step < 200, "\(run.name) does not end")
            let death = try await Death(run, server, before: step)
            damaged += try death.damagedFiles().count
            locks += death.scene.heldLocks.count
            let finding = try await death.finding()
            guard death.result.status == 137 else {
                #expect(death.result.status == 0 && death.isDone, "\(run.name): \(death.result.errors)")
                let counts = Finding.allCases.map { "\($0.rawValue)=\(found[$0] ?? 0)" }.joined(separator: " ")
                lines.insert(
                    "steps: \(run.name): steps=\(step - 1) \(counts) damaged=\(damaged) locks-left=\(locks)", at: 0)
                break
            }
            found[finding, default: 0] += 1
            lines.append("steps:   \(step) \(death.place): \(finding.rawValue)")
        }
        #expect(damaged == 0 && locks == 0, "\(run.name)")
        #expect(found.values.reduce(0, +) > 10, "\(run.name) has too few steps to mean anything")
        return lines
    }
}

/// A process that killed itself, and what is known of the time before.
private struct Death {
    let run: KilledStepTests.Run
    let scene: Bystander
    let folder = TemporaryFolder()
    let result: Program.Result
    let before: StoredLogin
    let token: String?
    /// What the service did for the process.
    let log: [DevServer.Entry]

    init(_ run: KilledStepTests.Run, _ server: DevServer, before step: Int) async throws {
        self.run = run
        scene = Bystander(server, "\(folder.path)/store")
        var token: String?
        if run.isSignedIn {
            let auth = try scene.process()
            try await scene.signIn(auth)
            token = try await auth.accessToken().value.revealText()
        }
        self.token = token
        before = try scene.stored()
        let start = server.log().count
        result = try await Program(Tool.built("crash-member"))
            .run([scene.directory, server.issuer, run.operation, "\(step)"])
        log = Array(server.log().dropFirst(start))
    }

    var isDone: Bool { result.output.contains("done") }

    /// Where it died.
    var place: String {
        let line = result.output.split(separator: "\n").last { $0.hasPrefix("killed ") }
        return String(line?.dropFirst(7) ?? "?")
    }

    private var label: Comment { "\(run.name), \(place)" }

    /// How many refreshes the service acted on.
    private var acted: Int { log.count { $0.grant == "refresh_token" && $0.outcome == "ok" } }

    /// How many sign-outs it was told.
    private func told(_ log: some Sequence<DevServer.Entry>) -> Int {
        log.filter { $0.endpoint == .revocation && $0.outcome == "ok" }.count
    }

    /// The files of the store that cannot be read as records.
    func damagedFiles() throws -> [String] { try FileStore(unencryptedAt: scene.directory).damagedFiles() }

    /// Looks at what is left, as the next process does, when the dead one's request can no longer arrive.
    func finding() async throws -> KilledStepTests.Finding {
        let found: KilledStepTests.Finding =
            switch run.operation {
            case "refresh": try await afterRefresh()
            case "sign-out": try await afterSignOut()
            default: run.isSignedIn ? try await afterSignInOver() : try await afterSignIn()
            }
        // The next writer sweeps what the dead one left half-written; it may be writing just now.
        try await scene.signIn(try scene.process(ahead: .seconds(11)))
        let isSwept = try await Child.poll(within: 10) { scene.halfWritten.isEmpty ? true : nil }
        #expect(isSwept == true, label)
        return found
    }

    private func afterRefresh() async throws -> KilledStepTests.Finding {
        let stored = try scene.stored()
        #expect(stored.hasCredential && stored.login == before.login && stored.ended.isEmpty, label)
        // The service acted, and what it answered is not in the store: it reached nobody.
        let isLost = acted > 0 && stored.hasMark
        let next = try scene.process(ahead: .seconds(11))
        #expect(await outcome { try await next.accessToken() } == "ok", label)
        let wanted = isLost && run.rotation == .strict ? "signInRequired.interrupted" : "ok"
        #expect(await outcome { try await next.refresh() } == wanted, label)
        if isDone { #expect(wanted == "ok", label) }
        guard wanted == "ok" else { return .interrupted }
        #expect(await scene.accepts(try next.accessToken().value.revealText()), label)
        return .kept
    }

    private func afterSignIn() async throws -> KilledStepTests.Finding {
        let next = try scene.process(ahead: .seconds(11))
        guard try scene.stored().hasCredential else {
            #expect(!isDone, label)
            #expect(try await next.accounts().isEmpty, label)
            try await scene.signIn(next)
            #expect(await outcome { try await next.refresh() } == "ok", label)
            return .notYet
        }
        #expect(await outcome { try await next.refresh() } == "ok", label)
        return .kept
    }

    private func afterSignInOver() async throws -> KilledStepTests.Finding {
        let stored = try scene.stored()
        let next = try scene.process(ahead: .seconds(11))
        #expect(stored.hasCredential, label)
        #expect(await outcome { try await next.refresh() } == "ok", label)
        if stored.login == before.login {
            #expect(!isDone, label)
        } else {
            #expect(stored.pending == 1 || told(log) >= 1, label)
            try await next.settleRevocations()
            #expect(try scene.stored().pending == 0, label)
            #expect(await !scene.accepts(token ?? ""), label)
        }
        return .kept
    }

    private func afterSignOut() async throws -> KilledStepTests.Finding {
        let stored = try scene.stored()
        let next = try scene.process(ahead: .seconds(11))
        guard !stored.hasCredential else {
            #expect(!isDone && told(log) == 0, label)
            #expect(await outcome { try await next.refresh() } == "ok", label)
            #expect(try await next.signOut() == .revoked, label)
            #expect(try await next.accounts().isEmpty, label)
            return .kept
        }
        #expect(stored.pending == 1 || told(log) >= 1, "\(label): the service is neither told nor owed")
        #expect(try await next.accounts().isEmpty, label)
        #expect(await outcome { try await next.accessToken() } == "signInRequired.signedOut", label)
        try await next.settleRevocations()
        #expect(try await next.owedRevocations() == 0, label)
        #expect(await !scene.accepts(token ?? ""), label)
        let after = try scene.stored()
        #expect(!after.hasCredential && after.pending == 0 && after.ended == ["signedOut"], label)
        return .signedOut
    }
}
