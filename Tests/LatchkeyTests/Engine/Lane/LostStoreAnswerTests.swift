import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

/// A store behind a network, of which one answer is lost: the life of a session, once for each change that it stores.
@Suite("A store whose answer is lost: the engine reads, and finds its own change or makes it again", .law(2), .law(5))
struct LostStoreAnswerTests {
    /// What becomes of the change whose answer is lost.
    enum Fate: String, CaseIterable, Sendable {
        case tookEffect
        case neverLeft
        /// It takes effect after the next change has been made, or tries to.
        case comesLate
    }

    /// Loses the answer to one change, counted over all kinds of records.
    private final class LossyStore: CrossProcessStore {
        private struct State {
            var changes = 0
            var late: (@Sendable () -> Void)?
        }

        let inner = MemoryStore()
        private let lost: Int
        private let fate: Fate
        private let state = Locked(State())

        init(losing lost: Int, _ fate: Fate) {
            self.lost = lost
            self.fate = fate
        }

        var changeCount: Int { state.withLock { $0.changes } }

        func read(_ key: StoreKey) throws -> StoredRecord? { try inner.read(key) }

        func keys(_ kind: StoreKey.Kind) -> [StoreKey] { inner.keys(kind) }

        func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
            try await inner.lock(key, deadline: deadline)
        }

        @discardableResult
        func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) throws -> RecordVersion? {
            let (number, late) = state.withLock { state in
                state.changes += 1
                defer { state.late = nil }
                return (state.changes, state.late)
            }
            defer { late?() }
            guard number == lost else { return try inner.replace(key, at: version, with: bytes) }
            switch fate {
            case .tookEffect: try inner.replace(key, at: version, with: bytes)
            case .neverLeft: break
            case .comesLate:
                state.withLock { $0.late = { [inner] in _ = try? inner.replace(key, at: version, with: bytes) } }
            }
            throw AuthError(.store(.unknownOutcome), "the answer is lost")
        }
    }

    /// A sign-in with a code, two refreshes, another person, a switch, and two sign-outs.
    private func live(losing lost: Int, _ fate: Fate) async throws -> Int {
        let bench = Bench()
        let store = LossyStore(losing: lost, fate)
        let auth = try bench.process { $0.store(store) }
        let binding = bench.service.rules.binding
        let alice = AccountID(subject: "alice", of: binding)
        let bob = AccountID(subject: "bob", of: binding)
        let ask = Challenge(id: "0123456789abcdef0123456789", binding: binding, ask: .totp)
        let context = ProviderContext(world: bench.world, transport: ScriptedTransport(), cache: KeepingCache())
        bench.service.script(
            turns: .turn(.asked(ask)), .turn(.signedIn(bench.service.grant(subject: "alice", in: context))),
            .turn(.signedIn(bench.service.grant(subject: "bob", in: context))))
        _ = try await auth.begin(.signIn(.code(identifier: "alice", over: .mail)), with: "scripted")
        _ = try await auth.answer(.code(Secret("123456")), to: ask.id)
        #expect(auth.currentToken()?.isDurable == true)
        for _ in 1...2 {
            try await auth.refresh(of: alice)
            #expect(auth.currentToken(of: alice)?.isDurable == true)
        }
        #expect(bench.service.refreshCount == 2)
        _ = try await auth.signIn(with: "scripted", .anonymous)
        try await auth.switchAccount(to: alice)
        try await auth.switchAccount(to: bob)
        // What another process sees is what this one has said.
        let other = try bench.process(seed: 11) { $0.store(store) }
        #expect(try await Set(other.accounts().map(\.id)) == [alice, bob])
        #expect(other.currentAccount == bob)
        #expect(other.currentToken(of: alice)?.value == auth.currentToken(of: alice)?.value)
        _ = try await auth.signOut(of: alice)
        _ = try await auth.signOut(of: bob)
        let last = try bench.process(seed: 12) { $0.store(store) }
        #expect(try await last.accounts().isEmpty)
        return store.changeCount
    }

    @Test(
        "the life of a session goes on, whichever answer is lost and whatever became of the change",
        arguments: Fate.allCases)
    func life(_ fate: Fate) async throws {
        let count = try await live(losing: 0, fate)
        #expect(count > 12)
        for lost in 1...count {
            do { _ = try await live(losing: lost, fate) } catch {
                Issue.record("the answer to change \(lost) of \(count) was lost (\(fate)): \(error)")
            }
        }
    }
}
