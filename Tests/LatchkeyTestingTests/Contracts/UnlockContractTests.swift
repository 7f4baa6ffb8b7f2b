import Latchkey
import LatchkeySystem
import LatchkeyTesting
import Testing

@Suite("Contract of unlocks: disks, clocks and what is typed")
struct UnlockContractTests {
    private func contract(_ fault: TypedPIN.Fault?) -> UnlockContract<TypedPIN> {
        let (places, memory) = (Locked(0), TypedPIN.Memory())
        @Sendable func pin(
            _ context: PluginContext, _ ask: @escaping @Sendable (String) async throws -> Secret?
        ) -> TypedPIN {
            TypedPIN(
                fault: fault, directory: "/home/alice/\(places.withLock { $0 })", context: context, memory: memory,
                ask: ask)
        }
        @Sendable func pin(_ situation: UnlockContract<TypedPIN>.Situation, _ context: PluginContext) -> TypedPIN {
            pin(context) { _ in
                switch situation {
                case .right: return TypedPIN.right
                case .wrong: return TypedPIN.wrong
                case .declined, .unavailable: return nil
                case .unanswered:
                    try await Latch().wait()
                    return nil
                }
            }
        }
        @Sendable func begin() {
            places.withLock { $0 += 1 }
            memory.failures.withLock { $0 = 0 }
            memory.isOpen.withLock { $0 = false }
        }
        var context = PluginContext.testing()
        // Others hold the lock for a moment only.
        context.clock = PluginContext.system.clock
        return UnlockContract(
            context: context,
            limit: .init(tries: TypedPIN.limit) { _, situation, context in pin(situation, context) },
            typing: .init(right: TypedPIN.right, wrong: TypedPIN.wrong) { typist, context in
                begin()
                let made = pin(context) { try await typist.type($0) }
                try made.enrol()
                return made
            }
        ) { situation, context in
            begin()
            let made = pin(situation, context)
            if situation != .unavailable { try made.enrol() }
            return made
        }
    }

    @Test("a PIN that keeps every promise passes") func right() async throws { try await contract(nil).run() }

    @Test(
        "a PIN that breaks one promise is refused by the clause that demands it", arguments: TypedPIN.Fault.allCases)
    func broken(fault: TypedPIN.Fault) async throws {
        let violation = await #expect(throws: ContractViolation.self) { try await contract(fault).run() }
        #expect(violation?.clause == fault.clause, "\(violation?.description ?? "")")
    }

    @Test("what the author's closure damages is neither absent nor new", arguments: [false, true])
    func damaging(isAbsent: Bool) async throws {
        let contract = UnlockContract<ScriptedUnlock>(
            context: .testing(), damaging: { unlock, _ in unlock.set(isAbsent ? .notEnrolled : .invalidated) }
        ) { situation, context in
            let unlock = ScriptedUnlock(clock: context.clock)
            switch situation {
            case .right: break
            case .wrong: unlock.script(.failed(AuthError(.refused(.wrongInput), "the proof is wrong")))
            case .declined: unlock.script(.failed(AuthError(.declined, "the person said no")))
            case .unavailable: unlock.set(.notEnrolled)
            case .unanswered: unlock.script(.held(Latch(), then: .granted))
            }
            return unlock
        }
        guard isAbsent else { return try await contract.run() }
        let violation = await #expect(throws: ContractViolation.self) { try await contract.run() }
        #expect(violation?.clause == "what is kept and damaged is neither absent nor new")
    }

    @Test("codes that work once keep the contract, and such that work twice do not", arguments: [false, true])
    func once(worksTwice: Bool) async throws {
        let number = Locked(0)
        @Sendable func next() -> Secret {
            OneTimePIN.code(
                number.withLock { number in
                    number += 1
                    return number
                })
        }
        let contract = UnlockContract<OneTimePIN>(
            context: .testing(),
            typing: .init(worksOnce: { _ in next() }, wrong: Secret("code-0000000-0000000")) { typist, context in
                OneTimePIN(worksTwice: worksTwice, context.clock) { try await typist.type($0) }
            }
        ) { situation, context in
            guard situation != .unavailable else { return nil }
            return OneTimePIN(worksTwice: worksTwice, context.clock) { _ in
                switch situation {
                case .right: return next()
                case .wrong: return Secret("code-0000000-0000000")
                case .declined, .unavailable: return nil
                case .unanswered:
                    try await Latch().wait()
                    return nil
                }
            }
        }
        guard worksTwice else { return try await contract.run() }
        let violation = await #expect(throws: ContractViolation.self) { try await contract.run() }
        #expect(violation?.clause == "a proof that works once does not work twice")
    }
}
