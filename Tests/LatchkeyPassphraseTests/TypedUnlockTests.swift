import Latchkey
import LatchkeyEncryptedStore
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyPassphrase

@Suite("Passphrase, recovery code and PIN")
struct TypedUnlockTests {
    private static let passphrase = Secret("correct horse battery staple")

    /// What a person types in a situation.
    private static func typing<Authenticator>(
        _ situation: UnlockContract<Authenticator>.Situation, right: Secret, wrong: Secret
    ) -> SecretAsking {
        { _ in
            switch situation {
            case .right: return right
            case .wrong: return wrong
            case .declined: return nil
            case .unanswered, .unavailable: try await Latch().wait()
            }
            return nil
        }
    }

    /// A store that one key opens.
    private static func opens(_ kind: UnlockKey.Kind, _ secret: Secret) -> @Sendable (UnlockKey) async throws -> Void {
        { key in
            guard key.kind == kind, key.secret == secret else {
                throw AuthError(.refused(.wrongInput), "it opens nothing")
            }
        }
    }

    @Test("the passphrase keeps the unlock contract, with its limit")
    func passphraseContract() async throws {
        try await TemporaryFolder.with { folder in
            let places = Places(folder)
            @Sendable func unlock(
                _ place: String, _ situation: UnlockContract<PassphraseUnlock>.Situation, _ context: PluginContext
            ) -> PassphraseUnlock {
                PassphraseUnlock(
                    limit: AttemptLimit(in: situation == .unavailable ? "relative" : place, context: context),
                    context: context,
                    asking: Self.typing(situation, right: Self.passphrase, wrong: Secret("wrong horse")))
            }
            try await UnlockContract<PassphraseUnlock>(
                limit: .init(tries: 3) { _, situation, context in unlock(places.last, situation, context) },
                typing: .init(right: Self.passphrase, wrong: Secret("wrong horse")) { typist, context in
                    PassphraseUnlock(
                        limit: AttemptLimit(in: places.next(), context: context), context: context,
                        asking: { try await typist.type($0.reason) })
                },
                opening: Self.opens(.passphrase, Self.passphrase)
            ) { situation, context in
                // Nothing makes a terminal unavailable but the limit.
                situation == .unavailable ? nil : unlock(places.next(), situation, context)
            }.run()
        }
    }

    @Test("the recovery code keeps the unlock contract")
    func recoveryContract() async throws {
        let code = RecoveryCode(context: .testing(seed: 1))
        let other = RecoveryCode(context: .testing(seed: 2))
        try await UnlockContract<RecoveryCodeUnlock>(
            typing: .init(right: code.text, wrong: other.text, ignoresCase: true) { typist, context in
                RecoveryCodeUnlock(context: context) { try await typist.type($0.reason) }
            },
            opening: Self.opens(.recoveryCode, code.secret)
        ) { situation, context in
            guard situation != .unavailable else { return nil }
            return RecoveryCodeUnlock(
                context: context, asking: Self.typing(situation, right: code.text, wrong: other.text))
        }.run()
    }

    @Test("the PIN of a key that cannot be copied keeps the unlock contract", .need("L5"))
    func pinContract() async throws {
        let chips = Locked<Chip?>(nil)
        @Sendable func unlock(
            _ chip: Chip, _ situation: UnlockContract<PINUnlock<Chip>>.Situation, _ context: PluginContext
        ) -> PINUnlock<Chip> {
            PINUnlock(
                of: chip, context: context,
                asking: Self.typing(situation, right: Secret("4711"), wrong: Secret("0000")))
        }
        try await UnlockContract<PINUnlock<Chip>>(
            limit: .init(tries: 3) { _, situation, context in
                unlock(chips.withLock { $0 } ?? Chip(), situation, context)
            }
        ) { situation, context in
            let chip = Chip(isThere: situation != .unavailable)
            chips.withLock { $0 = chip }
            return unlock(chip, situation, context)
        }.run()
    }

    @Test("a passphrase by itself proves nothing")
    func noStore() async throws {
        let unlock = PassphraseUnlock { _ in Self.passphrase }
        let found = await #expect(throws: AuthError.self) { _ = try await unlock.unlock(UnlockPrompt(reason: "Try")) }
        #expect(found?.code == .configuration(.invalid))
    }

    @Test("who is locked out is not asked")
    func notAsked() async throws {
        let (asked, disk) = (Locked(0), SimulatedDisk())
        let context = PluginContext.testing(files: SimulatedFiles(on: disk))
        let unlock = PassphraseUnlock(limit: AttemptLimit(in: "/home/alice/l", context: context), context: context) {
            _ in
            asked.withLock { $0 += 1 }
            return Secret("wrong")
        }
        for _ in 1...6 {
            await #expect(throws: AuthError.self) {
                _ = try await unlock.unlock(UnlockPrompt(reason: "Try")) { _ in
                    throw AuthError(.refused(.wrongInput), "wrong")
                }
            }
        }
        #expect(asked.withLock { $0 } == 3)
        #expect(unlock.availability() == .lockedOut(.seconds(5)))
    }

    @Test("the reason of the gate is what the person sees; an empty line opens nothing and costs nothing")
    func reasons() async throws {
        let seen = Locked<[SecretRequest]>([])
        let unlock = PassphraseUnlock { request in
            seen.withLock { $0.append(request) }
            return Secret("")
        }
        let error = await #expect(throws: AuthError.self) {
            _ = try await unlock.unlock(UnlockPrompt(reason: "Show your notes")) { _ in Issue.record("it was tried") }
        }
        #expect(error?.code == .refused(.wrongInput))
        #expect(seen.withLock { $0 } == [SecretRequest(.passphrase, reason: "Show your notes")])
    }

    @Test("length alone makes a passphrase strong, counted in characters")
    func rule() throws {
        let rule = PassphraseRule()
        for text in ["", "12345678901", "ééééééééééé"] {
            #expect(throws: AuthError.self) { try rule.check(Secret(text)) }
        }
        for text in ["aaaaaaaaaaaa", "éééééééééééé", "correct horse battery staple"] { try rule.check(Secret(text)) }
    }

    @Test("a vault is opened by what is typed, and by the printed code, and both survive a restart", .need("N6"))
    func vault() async throws {
        let disk = SimulatedDisk()
        func context(_ seed: UInt64) -> PluginContext { .testing(seed: seed, files: SimulatedFiles(on: disk)) }
        let code = RecoveryCode(context: context(7))
        let first = EncryptedFileStore(at: "/home/alice/vault", context: context(1))
        try await first.initialise(with: [
            NewSlot(UnlockKey(.passphrase, Self.passphrase), cost: .least), NewSlot(code.key),
        ])
        _ = try await first.replace(StoreKey(.settings, "a"), at: nil, with: [1])
        let typed = Secret("  " + code.text.revealText().lowercased().replacing("-", with: " "))
        for (number, unlock) in [
            PassphraseUnlock { _ in Self.passphrase } as any KeyReleasing, RecoveryCodeUnlock { _ in typed },
        ].enumerated() {
            let next = EncryptedFileStore(at: "/home/alice/vault", context: context(UInt64(10 + number)))
            _ = try await unlock.unlock(UnlockPrompt(reason: "Open")) { try await next.open(with: $0) }
            #expect(try await next.read(StoreKey(.settings, "a"))?.bytes == [1])
        }
    }
}

/// Folders, one after the other.
final class Places: Sendable {
    private let folder: TemporaryFolder
    private let number = Locked(0)

    init(_ folder: TemporaryFolder) { self.folder = folder }

    var last: String { folder["place-\(number.withLock { $0 })"] }

    func next() -> String {
        number.withLock { $0 += 1 }
        return last
    }
}

/// A chip that checks a PIN and takes three wrong ones.
private final class Chip: DeviceBoundKey {
    let source = "chip"
    private let isThere: Bool
    private let failures = Locked(0)

    init(isThere: Bool = true) { self.isThere = isThere }

    func availability() -> UnlockAvailability {
        guard isThere else { return .missing(reason: "there is no chip") }
        return failures.withLock { $0 } < 3 ? .available : .lockedOut(nil)
    }

    func key(for pin: Secret) throws -> Secret {
        try failures.withLock { failures in
            guard failures < 3 else { throw AuthError(.unlockUnavailable(.lockedOut), "the chip is locked") }
            failures += 1
            guard pin == Secret("4711") else { throw AuthError(.refused(.wrongInput), "another PIN") }
            failures = 0
            return Secret([UInt8](repeating: 7, count: 32))
        }
    }
}
