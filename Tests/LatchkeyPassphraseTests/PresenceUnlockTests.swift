import Latchkey
import LatchkeyEncryptedStore
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyPassphrase

/// What a person types, request by request, and what they were asked.
private final class Keyboard: Sendable {
    let asked = Locked<[SecretRequest]>([])
    private let typed = Locked<[String?]>([])

    func type(_ texts: String?...) { typed.withLock { $0 += texts } }

    func answer(_ request: SecretRequest) -> Secret? {
        asked.withLock { $0.append(request) }
        return typed.withLock { $0.isEmpty ? nil : $0.removeFirst() }.map { Secret($0) }
    }

    var lastWasNew: Bool? { asked.withLock { $0.last?.isNew } }
}

@Suite("A lock over any store, by a passphrase or PIN") struct PresenceUnlockTests {
    private let clock = ManualClock()
    private let disk = SimulatedDisk()
    private let keyboard = Keyboard()
    private let store = MemoryStore()
    private let provider = ScriptedProvider()

    private var context: PluginContext {
        .testing(clock: clock, files: SimulatedFiles(on: disk))
    }

    private func lock(_ kind: SecretRequest.Kind = .pin, setsUp: Bool = false) -> PresenceUnlock {
        PresenceUnlock(kind, in: "/home/alice/lock", setsUpAtFirstUnlock: setsUp, context: context) {
            [keyboard] in keyboard.answer($0)
        }
    }

    /// A launch of the app.
    private func client(
        _ lock: PresenceUnlock, _ enrolment: UnlockPolicy.Enrolment = .offered
    ) throws -> AuthClient {
        try AuthClient.Builder().provider(provider).store(store).transport(ScriptedTransport()).context(context)
            .unlock(lock, reason: "Show your notes", policy: UnlockPolicy(enrolment: enrolment)).build()
    }

    private func signedIn() async throws -> AuthClient {
        let client = try client(lock())
        _ = try await client.signIn(with: "scripted", .password(identifier: "alice", Secret("p")))
        return client
    }

    private func code(_ work: () async throws -> Void) async -> AuthError.Code? {
        do {
            try await work()
            return nil
        } catch { return (error as? AuthError)?.code }
    }

    private var hasProof: Bool {
        get throws { try SimulatedFiles(on: disk).status("/home/alice/lock/presence.proof") != nil }
    }

    @Test("it keeps the unlock contract, with its limit", arguments: [SecretRequest.Kind.pin, .passphrase])
    func contract(_ kind: SecretRequest.Kind) async throws {
        try await TemporaryFolder.with { folder in
            let places = Places(folder)
            let right = Secret(kind == .pin ? "47110815" : "correct horse")
            let wrong = Secret("0000 0000")
            @Sendable func unlock(
                _ situation: UnlockContract<PresenceUnlock>.Situation, _ context: PluginContext
            ) -> PresenceUnlock {
                PresenceUnlock(kind, in: places.last, context: context) { _ in
                    switch situation {
                    case .right: return right
                    case .wrong: return wrong
                    case .declined: return nil
                    case .unanswered, .unavailable: try await Latch().wait()
                    }
                    return nil
                }
            }
            @Sendable func enrol(_ context: PluginContext) async throws {
                _ = try await PresenceUnlock(kind, in: places.next(), context: context) { _ in right }
                    .enrol(UnlockPrompt(reason: "Choose"))
            }
            try await UnlockContract<PresenceUnlock>(
                limit: .init(tries: 3) { _, situation, context in unlock(situation, context) },
                typing: .init(right: right, wrong: wrong) { typist, context in
                    try await enrol(context)
                    return PresenceUnlock(kind, in: places.last, context: context) {
                        try await typist.type($0.reason)
                    }
                }
            ) { situation, context in
                if situation == .unavailable {
                    return PresenceUnlock(kind, in: places.next(), context: context) { _ in nil }
                }
                try await enrol(context)
                return unlock(situation, context)
            }.run()
        }
    }

    @Test("switched on by the person's choice of a PIN, it locks every launch, and switched off it is gone", .law(12))
    func offered() async throws {
        let client = try await signedIn()
        #expect(!client.isLocked && lock().availability() == .notEnrolled)
        keyboard.type("4711")
        try await client.setUnlockEnabled(true)
        #expect(keyboard.lastWasNew == true && !client.isLocked)
        let next = try self.client(lock())
        _ = try? await next.restore()
        #expect(next.isLocked)
        #expect(await code { _ = try await next.accessToken() } == .locked)
        keyboard.type("1234")
        #expect(await code { try await next.unlock() } == .refused(.wrongInput))
        keyboard.type("4711")
        try await next.unlock()
        #expect(keyboard.lastWasNew == false)
        _ = try await next.accessToken()
        try await next.setUnlockEnabled(false)
        #expect(try !hasProof && !next.isLocked)
        // Somebody else's choice is asked for anew.
        keyboard.type("0815")
        try await next.setUnlockEnabled(true)
        #expect(keyboard.lastWasNew == true)
        try await next.signOut()
        #expect(try !hasProof)
    }

    @Test("a device on which nothing is chosen yet is offered the lock, once") func toldOnce() async throws {
        let client = try client(lock())
        let events = client.events
        _ = try await client.signIn(with: "scripted", .password(identifier: "alice", Secret("p")))
        var iterator = events.makeAsyncIterator()
        while let event = await iterator.next() { if event == .unlockOffered { break } }
        #expect(lock().availability() == .notEnrolled)
    }

    @Test("a choice that is too short, declined, or cancelled changes nothing") func notChosen() async throws {
        let client = try await signedIn()
        keyboard.type("123", nil)
        #expect(await code { try await client.setUnlockEnabled(true) } == .configuration(.invalid))
        #expect(await code { try await client.setUnlockEnabled(true) } == .declined)
        #expect(try !hasProof && !client.isUnlockEnabled && !client.isLocked)
        keyboard.type("4711", "12")
        try await client.setUnlockEnabled(true)
        #expect(await code { _ = try await lock().enrol(UnlockPrompt(reason: "Again")) } == .configuration(.invalid))
        await client.lock()
        keyboard.type("4711")
        try await client.unlock()
    }

    @Test("a damaged file opens nothing; starting over ends the sessions, and the next choice is a new one", .law(12))
    func damaged() async throws {
        let client = try await signedIn()
        keyboard.type("4711")
        try await client.setUnlockEnabled(true)
        await client.lock()
        let files = SimulatedFiles(on: disk)
        try files.remove("/home/alice/lock/presence.proof")
        #expect(await code { try await client.unlock() } == .unlockUnavailable(.notEnrolled))
        try files.writeNew("/home/alice/lock/presence.proof", Array("{\"kind\":\"latchkey.presence\"}".utf8))
        #expect(await code { try await client.unlock() } == .unlockUnavailable(.invalidated))
        #expect(client.isLocked)
        try await client.startOver()
        #expect(!client.isLocked)
        #expect(try await client.accounts().isEmpty)
        #expect(try !hasProof)
    }

    @Test("where a lock is required, the person chooses at the first unlock, if the app wants that") func required()
        async throws
    {
        let strict = try client(lock(), .required)
        #expect(await code { try await strict.unlock() } == .unlockUnavailable(.notEnrolled))
        let client = try client(lock(setsUp: true), .required)
        keyboard.type("4711")
        try await client.unlock()
        #expect(keyboard.lastWasNew == true)
        await client.lock()
        keyboard.type("4711")
        try await client.unlock()
        #expect(keyboard.lastWasNew == false)
    }

    @Test("build() refuses a folder without an absolute path, and names the lock that fits") func build() throws {
        let lock = PresenceUnlock(in: "lock") { _ in nil }
        let limited = PassphraseUnlock(limit: AttemptLimit(in: "tries")) { _ in nil }
        let vault = EncryptedFileStore(at: "/home/alice/vault")
        let builder = AuthClient.Builder().provider(provider).transport(ScriptedTransport())
        func refusal(_ builder: AuthClient.Builder) -> String {
            do throws(AuthError) {
                _ = try builder.build()
                return ""
            } catch { return error.code == .configuration(.invalid) ? error.message : "\(error.code)" }
        }
        #expect(refusal(builder.unlock(lock, reason: "r")).contains("absolute path, not \"lock\""))
        #expect(refusal(builder.store(vault).unlock(limited, reason: "r")).contains("absolute path, not \"tries\""))
        let passphrase = PassphraseUnlock { _ in nil }
        let offered = UnlockPolicy(enrolment: .offered)
        #expect(refusal(builder.unlock(passphrase, reason: "r", policy: offered)).contains("such as PresenceUnlock"))
        #expect(
            refusal(builder.store(vault).unlock(passphrase, reason: "r", policy: offered)).contains(
                "such as PresenceUnlock"))
    }

    @Test("the file tells nothing of what was chosen, and a wrong one is counted for all processes") func file()
        async throws
    {
        keyboard.type("4711")
        _ = try await lock().enrol(UnlockPrompt(reason: "Choose"))
        let bytes = try SimulatedFiles(on: disk).read("/home/alice/lock/presence.proof", limit: 4_096) ?? []
        #expect(!String(decoding: bytes, as: UTF8.self).contains("4711"))
        keyboard.type("1", "2", "3", "4711")
        for _ in 1...3 { #expect(await code { _ = try await lock().unlock(UnlockPrompt(reason: "r")) } != nil) }
        #expect(lock().availability() == .lockedOut(.seconds(5)))
        #expect(await code { _ = try await lock().unlock(UnlockPrompt(reason: "r")) } == .unlockUnavailable(.lockedOut))
        clock.advance(by: .seconds(5))
        _ = try await lock().unlock(UnlockPrompt(reason: "r"))
    }
}
