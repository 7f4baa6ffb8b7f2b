import Latchkey
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyAuditLog

@Suite("Security log: what a client tells")
struct AuditLogObserverTests {
    let scene = Scene()

    @Test("a client's sign-in and sign-out are there, with the account, in order") func client() async throws {
        let log = scene.log()
        let world = PluginContext.testing(clock: scene.clock, files: SimulatedFiles(on: scene.disk))
        let auth = try AuthClient.Builder().provider(ScriptedProvider()).transport(ScriptedTransport())
            .context(world).auditLog(log).build()
        let session = try await auth.signIn(with: "scripted", .anonymous)
        try await auth.signOut(of: session.account)
        try await log.flush()
        let actions = try await log.entries().compactMap(\.action)
        #expect(actions.contains("signedIn") && actions.contains("signIn") && actions.contains("signedOut"))
        let mine = try await log.entries(of: session.account).compactMap(\.action)
        #expect(mine.contains("signedIn") && mine.last == "signedOut")
        #expect(try await log.verify().isWhole)
    }

    @Test("a stronger proof of a person who is signed in is one line, and no sign-in") func stepUp() async throws {
        let log = scene.log()
        let world = PluginContext.testing(clock: scene.clock, files: SimulatedFiles(on: scene.disk))
        let auth = try AuthClient.Builder().provider(ScriptedProvider(rules: .scripted(elevation: .fixed)))
            .transport(ScriptedTransport()).context(world).auditLog(log).build()
        _ = try await auth.signIn(with: "scripted", .anonymous)
        try await log.flush()
        let before = try await log.entries().count
        _ = try await auth.stepUp(asking: ScriptedPresenter(answering: { _ in .declined }))
        try await log.flush()
        let actions = try await log.entries().dropFirst(before).compactMap(\.action)
        #expect(actions.filter { $0 != "revocation" } == ["stepUp"])
    }

    @Test("observations of what matters are lines, all others are none", .need("L5")) func observations() async throws {
        let log = scene.log()
        let told: [AuthObservation] = [
            .signIn("oauth", .password, failure: nil, took: .zero),
            .signIn("oauth", .code, failure: .refused(.wrongInput), took: .zero),
            .signIn("oauth", .browser, failure: .offline(.unreachable), took: .zero), .signOut("oauth", .queued),
            .refresh("oauth", .refused, took: .zero), .gate(locked: true), .gate(locked: false),
            .furtherProof(.link, "oauth", .browser, failure: nil, took: .zero),
            .furtherProof(.stepUp, "oauth", nil, failure: .declined, took: .zero),
        ]
        let silent: [AuthObservation] = [
            .refresh("oauth", .refreshed, took: .zero), .store(.credential, .replace, .failed, took: .zero),
            .request(method: "GET", origin: "https://id.example.test", status: 401, took: .zero),
            .retry(method: "GET", origin: "https://id.example.test", status: 503, wait: .zero),
            .refusal(.resource, .fresh), .storeFailure(.credential, .replace, .store(.full)),
            .lockWait(.store, .busy, took: .zero), .firstToken(.stored, took: .zero),
            .unlock(.usual, .pin, failure: nil, took: .zero),
            // The event says it, with the account.
            .signInRequired("oauth", .banned), .reauthentication(.banned, by: .sameAccount, after: .zero),
        ]
        for observation in told + silent { log.observe(observation) }
        log.observe(AuthEvent.gap)
        log.observe(AuthEvent.signedOut(scene.ada, by: .elsewhere))
        log.observe(AuthEvent.authenticationRequired(scene.ada, .banned))
        try await log.flush()
        let entries = try await log.entries().dropFirst()
        #expect(
            entries.compactMap(\.action) == [
                "signIn", "signIn", "signIn", "revocation", "refresh", "locked", "unlocked", "link", "stepUp",
                "signedOut", "signInRequired",
            ])
        #expect(
            entries.compactMap(\.result) == [
                "done", "refused", "failed", "open", "refused", "done", "done", "done", "refused", "done", "done",
            ])
        #expect(
            entries.map(\.reason) == [
                nil, "refused.wrongInput", "offline.unreachable", "queued", "refused", nil, nil, nil, "declined",
                "elsewhere", "banned",
            ])
    }

    @Test("keeps the contract of observers") func contract() async throws {
        try await ObserverContract { Scene().log() }.run()
    }

    @Test("what waits is bounded, and a line says how many were lost") func bounded() async throws {
        let scene = scene
        let log = scene.log()
        try await log.record(AuditEvent(.suspicion))
        scene.disk.inject { operation, _ in operation == .write ? .full : nil }
        for _ in 0..<1_100 { log.observe(AuthObservation.gate(locked: true)) }
        await #expect(throws: AuthError.self) { try await log.flush() }
        #expect(try await log.entries().count == 2)
        scene.disk.inject(nil)
        try await log.flush()
        let last = try await log.entries().last
        #expect(last?.kind == .dropped && last?.count == 76 && last?.number == 1_026)
        #expect(try await log.verify().isWhole)
    }

    @Test("what was told before a record is written before it, at the time it was told") func order() async throws {
        let log = scene.log()
        scene.disk.inject { operation, _ in operation == .lock ? .full : nil }
        let before = scene.clock.wall()
        log.observe(AuthObservation.gate(locked: true))
        scene.clock.advance(by: .seconds(5))
        scene.disk.inject(nil)
        try await log.record(AuditEvent(.passwordChanged, of: scene.ada))
        let entries = try await log.entries()
        #expect(entries.compactMap(\.action) == ["locked", "passwordChanged"])
        #expect(entries[1].time == before)
    }

    @Test("no marked secret, identifier or name gets into any file, whatever is told", .need("N15")) func canary()
        async throws
    {
        let mark = "s3cr3t-canary-0123456789abcdef"
        let log = AuditLog(
            at: Scene.directory, device: mark,
            context: .testing(clock: scene.clock, files: SimulatedFiles(on: scene.disk)))
        let person = AccountID("oauth https://id.example.test \(mark)")
        let provider = ProviderID(mark)
        for action in AuditEvent.Action.allCases {
            for result in AuditEvent.Result.allCases {
                try await log.record(
                    AuditEvent(
                        action, of: person, by: AccountID(mark), at: provider, method: .custom,
                        device: AuditEvent.Device(mark), result: result, reason: .error(.serviceTrouble)))
            }
        }
        log.observe(AuthObservation.signIn(provider, nil, failure: .refused(.wrongInput), took: .zero))
        log.observe(AuthObservation.refresh(provider, .refused, took: .zero))
        log.observe(AuthObservation.signOut(provider, .givenUp))
        log.observe(AuthObservation.request(method: mark, origin: mark, status: nil, took: .zero))
        log.observe(AuthEvent.signedIn(person))
        log.observe(AuthEvent.refreshed(person, Audience(mark)))
        log.observe(AuthEvent.unlockAvailabilityChanged(.missing(reason: mark)))
        try await log.flush()
        try await log.erase(AccountID(mark))
        let names = try scene.disk.names(Scene.directory)
        #expect(names.count == 5)
        for name in names {
            let text = String(
                decoding: try #require(try scene.disk.content("\(Scene.directory)/\(name)")), as: UTF8.self)
            for word in [mark, "id.example.test", "canary"] { #expect(!text.contains(word), "\(name): \(word)") }
        }
        let device = AuditEvent.Device(mark)
        var dumped = "\(device) \(String(reflecting: device))"
        dump(device, to: &dumped)
        #expect(!dumped.contains("canary"))
        #expect(try await log.verify().isWhole)
    }
}
