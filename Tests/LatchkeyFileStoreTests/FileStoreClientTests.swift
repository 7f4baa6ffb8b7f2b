import Latchkey
import LatchkeyFileStore
import LatchkeyTesting
import Proofs
import TaskSettling
import Testing

/// A client over the file store, while things go wrong.
@Suite("File store: a client whose store fails")
struct FileStoreClientTests {
    let disk = SimulatedDisk()
    let clock = ManualClock()
    let service = ScriptedProvider()
    let directory = "/home/alice/store"
    static let changing: [SimulatedDisk.Operation] = [.lock, .create, .write, .makeDirectory, .rename, .remove]

    private func client(
        seed: UInt64 = 7, _ provider: ScriptedProvider? = nil, patience: Duration = .seconds(20)
    ) throws -> AuthClient {
        var settings = EngineSettings()
        settings.refresh = .onDemand
        settings.lockDeadline = patience
        // No task sleeps beside a request then: `run` would move the clock for it.
        settings.familyDeadline = settings.requestDeadline
        let world = PluginContext.testing(clock: clock, seed: seed, files: SimulatedFiles(on: disk))
        return try AuthClient.Builder().provider(provider ?? service).transport(ScriptedTransport())
            .store(.file(unencryptedAt: directory, context: world)).context(world).settings(settings).build()
    }

    /// Moves the clock from sleeper to sleeper until `work` is done.
    private func run<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask { [clock] in
                while !Task.isCancelled {
                    clock.advanceToNextSleeper()
                    // Whoever was woken goes on before the next one is, or a deadline would pass at a standstill.
                    await settleTasks()
                }
                return nil
            }
            defer { group.cancelAll() }
            guard let value = try await group.next(), let value else { throw CancellationError() }
            return value
        }
    }

    private func code(_ work: @escaping @Sendable () async throws -> Void) async throws -> AuthError? {
        try await run {
            do {
                try await work()
                return nil
            } catch let error as AuthError {
                return error
            }
        }
    }

    @Test("a directory that is removed ends no session: the token is used while it lasts, then the store is named")
    func removed() async throws {
        let auth = try client()
        _ = try await auth.signIn(with: "scripted", .anonymous)
        let kept = try disk.names(directory).map { ($0, try disk.content("\(directory)/\($0)") ?? []) }
        try disk.take(directory)
        #expect(try await auth.accessToken().value.revealText() == "access-1")
        #expect(try await code { try await auth.restore() }?.code == .store(.unavailable))
        clock.advance(by: .seconds(3_400))
        #expect(try await run { try await auth.accessToken() }.value.revealText() == "access-1")
        clock.advance(by: .seconds(300))
        #expect(try await code { _ = try await auth.accessToken() }?.code == .store(.unavailable))
        #expect(service.refreshCount == 0)
        #expect(try await auth.accounts().count == 1)
        try disk.putDirectory(directory)
        for (name, bytes) in kept { try disk.put("\(directory)/\(name)", bytes) }
        clock.advance(by: .seconds(60))
        #expect(try await run { try await auth.accessToken() }.value.revealText() == "access-2")
    }

    @Test(
        "a store that cannot be written, or cannot lock, sends nothing; the token is used while it lasts",
        arguments: [
            (changing, FileError.readOnly, AuthError.StoreReason.readOnly, "cannot be written"),
            (changing, .denied, .readOnly, "cannot be written by this user"),
            (changing, .full, .full, "is full"), ([.lock], .noLocks, .unavailable, "cannot lock files"),
        ])
    func unwritable(
        operations: [SimulatedDisk.Operation], fault: FileError, reason: AuthError.StoreReason, words: String
    ) async throws {
        let auth = try client()
        _ = try await auth.signIn(with: "scripted", .anonymous)
        disk.inject { operation, _ in operations.contains(operation) ? fault : nil }
        clock.advance(by: .seconds(3_400))
        #expect(try await run { try await auth.accessToken() }.value.revealText() == "access-1")
        clock.advance(by: .seconds(300))
        let error = try await code { _ = try await auth.accessToken() }
        #expect(error?.code == .store(reason))
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(service.refreshCount == 0)
        let unstored = try await code { _ = try await auth.signIn(with: "scripted", .anonymous) }
        #expect(unstored?.code == .store(reason))
        #expect(auth.currentToken()?.isDurable == false)
        disk.inject(nil)
        clock.advance(by: .seconds(60))
        try await run { while try await auth.accounts().first?.isDurable != true { await Task.yield() } }
        #expect(try await client(seed: 9).accessToken().value.revealText() == "access-2")
    }

    @Test("a full disk at any step of a refresh loses nothing: no token is spent twice, and the next process goes on")
    func fullAtAnyStep() async throws {
        var step = 1
        while true {
            let each = FileStoreClientTests()
            let auth = try each.client()
            _ = try await auth.signIn(with: "scripted", .anonymous)
            each.clock.advance(by: .seconds(3_600))
            let begun = each.disk.steps
            each.disk.fail(atStep: begun + step, with: .full)
            let error = try await each.code { _ = try await auth.accessToken() }
            if each.disk.steps < begun + step { break }
            if let error { #expect(error.code == .store(.full), "step \(step)") }
            // The clock runs ahead of a busy machine, which is not what this is about.
            let next = try each.client(seed: 9, patience: .seconds(900))
            each.clock.advance(by: .seconds(60))
            let token = try await each.run { try await next.accessToken() }
            #expect(token.value.revealText() == "access-2", "step \(step)")
            #expect(Set(each.service.sentSecrets).count == each.service.sentSecrets.count, "step \(step)")
            #expect(each.service.refreshCount == 1, "step \(step)")
            withExtendedLifetime(auth) {}
            step += 1
        }
        #expect(step > 10, "a refresh takes two commits")
    }

    @Test(
        "a disk that fills once a refresh has left costs nothing: its answer is stored in the room that was set aside",
        .law(2),
        arguments: [false, true])
    func fullAfterSending(isForced: Bool) async throws {
        let auth = try client()
        _ = try await auth.signIn(with: "scripted", .anonymous)
        clock.advance(by: .seconds(3_600))
        let latch = Latch()
        service.script(refreshes: .held(latch, then: .rotated))
        let call = Task { isForced ? try await auth.refresh() : try await auth.accessToken() }
        try await service.waitForRefreshes(1)
        disk.inject { operation, _ in [.create, .write, .makeDirectory].contains(operation) ? .full : nil }
        latch.open()
        let token = try await run { try await call.value }
        #expect(token.isDurable)
        #expect(try await run { await auth.finish() } == nil)
        let next = try client(seed: 9)
        #expect(try await run { try await next.accessToken() }.value == token.value)
        #expect(service.refreshCount == 1)
        #expect(try !disk.names(directory).contains { $0.hasSuffix(".room") })
    }

    @Test("where there is no room for the answer, nothing is sent, and the token is used while it lasts", .law(2))
    func noRoom() async throws {
        let auth = try client()
        _ = try await auth.signIn(with: "scripted", .anonymous)
        disk.inject { operation, path in operation == .write && path.hasSuffix(".room") ? .full : nil }
        clock.advance(by: .seconds(3_400))
        #expect(try await run { try await auth.accessToken() }.value.revealText() == "access-1")
        clock.advance(by: .seconds(300))
        #expect(try await code { _ = try await auth.accessToken() }?.code == .store(.full))
        #expect(service.refreshCount == 0)
        disk.inject(nil)
        clock.advance(by: .seconds(60))
        #expect(try await run { try await auth.accessToken() }.value.revealText() == "access-2")
        #expect(try await client(seed: 9).accessToken().value.revealText() == "access-2")
    }

    @Test("the end of a client says what the store has not taken, and why, and says nothing once it has", .law(2))
    func unstoredAtTheEnd() async throws {
        for isRefresh in [true, false] {
            let each = FileStoreClientTests()
            let auth = try each.client()
            if isRefresh {
                _ = try await auth.signIn(with: "scripted", .anonymous)
                each.clock.advance(by: .seconds(3_600))
            }
            each.disk.inject { operation, path in
                // Not even in the room.
                operation == .fill || (operation == .write && (each.service.refreshCount > 0) == isRefresh)
                    ? .full : nil
            }
            let error = try await each.code {
                try await auth.run { auth in
                    if isRefresh {
                        let token = try await auth.accessToken()
                        #expect(!token.isDurable)
                    } else {
                        _ = try? await auth.signIn(with: "scripted", .anonymous)
                    }
                }
            }
            #expect(error?.code == .store(.full), "a refresh: \(isRefresh)")
            let again = try await each.run { await auth.finish() }
            #expect(again?.code == .store(.full), "a refresh: \(isRefresh)")
        }
        let auth = try client()
        _ = try await auth.signIn(with: "scripted", .anonymous)
        #expect(await auth.finish() == nil)
        #expect(await auth.finishSent() == nil)
    }

    @Test("two configurations over one directory: neither sends what the other made, each keeps its own")
    func twoConfigurations() async throws {
        var rules = ProviderRules.scripted()
        rules.binding.client = "another"
        let other = ScriptedProvider(rules: rules)
        let auth = try client()
        _ = try await auth.signIn(with: "scripted", .anonymous)
        let second = try client(seed: 9, other)
        #expect(try await code { _ = try await second.accessToken() }?.code == .configuration(.changed))
        #expect(try await code { try await second.refresh() }?.code == .configuration(.changed))
        #expect(other.refreshCount == 0)
        var elsewhere = ProviderRules.scripted()
        elsewhere.binding.authority = "https://other.example.com"
        let third = try client(seed: 11, ScriptedProvider(rules: elsewhere))
        _ = try await third.signIn(with: "scripted", .anonymous)
        #expect(try await third.accessToken().value.revealText() == "access-1")
        try await third.signOut()
        #expect(try await auth.accessToken().value.revealText() == "access-1")
        try await auth.refresh()
        #expect(service.sentSecrets == ["refresh-1"])
    }
}
