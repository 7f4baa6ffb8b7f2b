import FoundationEssentials
import Latchkey
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyModel

/// Every row of the table, made by the real model over a real client.
@MainActor @Suite("Moves of the model") struct ModelMoveTests {
    @Test("every move of the table is made by the model, and ends where the table says", .need("R8"))
    func everyMove() async throws {
        var tested = Set<ModelMove>()
        for move in ModelTable.all {
            let bench = try ModelBench()
            do {
                switch move.from.region {
                case .session: try await makeSession(move, bench)
                case .conversation: try await makeConversation(move, bench)
                }
            } catch {
                Issue.record(error, "\(move)")
            }
            #expect(bench.moves.contains(move), "\(move) was not made: \(bench.moves)")
            #expect(bench.moves.allSatisfy(ModelTable.all.contains), "\(move)")
            if bench.moves.contains(move) { tested.insert(move) }
        }
        #expect(tested.count == ModelTable.all.count)
        print("states=\(ModelPhase.allCases.count) moves=\(ModelTable.all.count) tested=\(tested.count)")
    }

    @Test("what the table does not have, the model does not do: the stage stays, and nothing is told")
    func refused() throws {
        let bench = try ModelBench()
        let screen = ChallengeScreen(bench.challenge(.totp), at: bench.clock.now())
        let stages: [ModelStage] = [
            .form, .sending, .asked(screen), .answering(screen), .formPause, .answerPause(screen),
            .elsewhere(.approval), .succeeded,
        ]
        var refusals = 0
        for from in stages {
            for trigger in ModelTrigger.allCases {
                for to in stages where ModelTable.next(from.phase, trigger) != to.phase {
                    bench.model.stage = from
                    #expect(!bench.model.move(trigger, to: to))
                    #expect(bench.model.stage.phase == from.phase)
                    refusals += 1
                }
            }
        }
        #expect(bench.moves.isEmpty)
        #expect(refusals == 8 * 8 * ModelTrigger.allCases.count - ModelTable.conversation.count)
    }

    @Test("no row stands twice, no state is a dead end, and every state is reached from where the model begins")
    func table() {
        #expect(Set(ModelTable.all).count == ModelTable.all.count)
        for move in ModelTable.all {
            #expect(ModelTable.next(move.from, move.trigger) == move.to)
            #expect(move.from.region == move.to.region)
        }
        for (start, region) in [(ModelPhase.restoring, ModelPhase.Region.session), (.form, .conversation)] {
            let phases = Set(ModelPhase.allCases.filter { $0.region == region })
            var reached: Set = [start]
            for _ in phases { reached.formUnion(ModelTable.all.filter { reached.contains($0.from) }.map(\.to)) }
            #expect(reached == phases)
            #expect(Set(ModelTable.all.map(\.from)).isSuperset(of: phases))
        }
    }

    // MARK: Who is signed in

    /// Brings the client into the state before, then into the state after, and lets the model look each time.
    private func makeSession(_ move: ModelMove, _ bench: ModelBench) async throws {
        if move.trigger == .triedAgain {
            try await bring(.unavailable, bench)
            await bench.model.look()
            _ = await bench.model.tryAgain()
            return
        }
        if move.from != .restoring {
            try await bring(move.from, bench)
            await bench.model.look()
            #expect(bench.model.state.phase == move.from)
        }
        try await bring(move.to, bench)
        await bench.model.look()
        #expect(bench.model.state.phase == move.to)
    }

    private static let damaged = StoreKey(.credential, "damaged")

    private func bring(_ phase: ModelPhase, _ bench: ModelBench) async throws {
        let client = bench.client
        try await client.unlock()
        if let record = try bench.store.inner.read(Self.damaged) {
            try bench.store.inner.replace(Self.damaged, at: record.version, with: nil)
            try await client.restore()
        }
        for account in try await client.accounts() { try await client.signOut(of: account.id) }
        switch phase {
        case .signedIn, .offline, .signInAgain:
            _ = try await client.signIn(with: "scripted", .anonymous)
            if phase == .offline {
                bench.service.script(refreshes: .failed(TransportError(.unreachable, wasSent: false)))
                _ = try? await client.refresh()
            }
            if phase == .signInAgain {
                bench.service.script(refreshes: .refused(Refusal(.definite, code: "invalid_grant")))
                _ = try? await client.refresh()
            }
        case .locked: await client.lock()
        case .unavailable:
            try bench.store.inner.replace(Self.damaged, at: nil, with: Array("damaged".utf8))
            _ = try? await client.restore()
        default: break
        }
    }

    // MARK: What the person and the service say

    private func makeConversation(_ move: ModelMove, _ bench: ModelBench) async throws {
        await bench.model.start()
        let latch = Latch()
        bench.service.script(turns: reaching(move, bench, latch))
        if let next = next(move, bench, latch) { bench.service.script(turns: next) }
        let intent = try await reach(move, bench)
        try await make(move, bench, latch)
        latch.open()
        _ = await intent?.value
        try await bench.advance { bench.moves.contains(move) }
        // From these two it goes on by itself.
        if move.to != .sending, move.to != .answering { #expect(bench.model.stage.phase == move.to) }
    }

    /// What the service answers first, so that the state before is reached.
    private func reaching(_ move: ModelMove, _ bench: ModelBench, _ latch: Latch) -> ScriptedProvider.TurnStep {
        switch move.from {
        case .sending: .held(latch, then: outcome(move.trigger, bench))
        case .asked where [.asked, .granted, .sentElsewhere, .challengeGone].contains(move.trigger):
            .turn(.asked(bench.challenge(.device(Ask.Device(userCode: "ABCD", at: "https://id.example.com/device")))))
        case .formPause: .failed(AuthError(.rateLimited, "slower", retryAfter: .seconds(3)))
        case .elsewhere: .turn(.continuesElsewhere(.message(over: .mail, sentTo: nil)))
        case .succeeded: .granted(to: "alice")
        default: bench.code
        }
    }

    /// What the service answers next.
    private func next(_ move: ModelMove, _ bench: ModelBench, _ latch: Latch) -> ScriptedProvider.TurnStep? {
        switch (move.from, move.trigger) {
        case (.asked, .answeredElsewhere): .granted(to: "alice")
        case (.asked, .asked), (.asked, .granted), (.asked, .sentElsewhere), (.asked, .challengeGone):
            outcome(move.trigger, bench)
        case (.answering, _): .held(latch, then: outcome(move.trigger, bench))
        case (.answerPause, _): .failed(AuthError(.rateLimited, "slower", retryAfter: .seconds(3)))
        default: nil
        }
    }

    private func outcome(_ trigger: ModelTrigger, _ bench: ModelBench) -> ScriptedProvider.TurnStep {
        switch trigger {
        case .asked: .turn(.asked(bench.challenge(.totp, "another-of-sixteen-letters")))
        case .granted: .granted(to: "alice")
        case .sentElsewhere: .turn(.continuesElsewhere(.approval))
        case .failed: .failed(AuthError(.offline(.unreachable), "gone"))
        case .slowedDown: .failed(AuthError(.rateLimited, "slower", retryAfter: .seconds(3)))
        case .challengeGone: .failed(AuthError(.refused(.denied), "no"))
        default: .failed(AuthError(.refused(.expired), "too late"))
        }
    }

    /// Leads the model to the state before, and returns the intent that is under way there.
    private func reach(_ move: ModelMove, _ bench: ModelBench) async throws -> Task<IntentResult, Never>? {
        let model = bench.model
        guard move.from != .form else { return nil }
        bench.fillIn(.signUp)
        let submitting = Task { await model.submit() }
        guard move.from != .sending else {
            try await bench.until { bench.service.beginCount == 1 }
            return submitting
        }
        _ = await submitting.value
        guard move.from == .answering || move.from == .answerPause else { return nil }
        model.editChallenge { $0.setEntry("123456") }
        let answering = Task { await model.answer() }
        guard move.from == .answering else {
            _ = await answering.value
            return nil
        }
        try await bench.until { !bench.service.answers.isEmpty }
        return answering
    }

    /// Makes the trigger happen.
    private func make(_ move: ModelMove, _ bench: ModelBench, _ latch: Latch) async throws {
        #expect(bench.model.stage.phase == move.from, "\(move)")
        let model = bench.model
        switch move.trigger {
        case .submitted:
            // Without `show`, which would go back to the form first.
            await model.signIn(.anonymous, with: "scripted")
        case .resumed:
            _ = try await bench.client.begin(.signIn(.anonymous), with: "scripted")
            await model.resume()
        case .answered:
            model.editChallenge { $0.setEntry("123456") }
            await model.answer()
        case .cancelled: #expect(await model.cancel() == .done)
        case .dismissed: model.dismiss()
        case .sessionEnded: try await bench.client.signOut()
        case .waited: try await bench.advance { model.stage.phase == move.to }
        case .answeredElsewhere where move.from == .elsewhere:
            _ = try await bench.client.signIn(with: "scripted", .anonymous)
        case .answeredElsewhere where move.from == .answerPause:
            // This process sends nothing before the pause is over; another one has not been told of it.
            let other = try AuthClient.Builder().provider(bench.service).store(bench.store)
                .transport(ScriptedTransport()).context(.testing(clock: bench.clock, seed: 9)).build()
            _ = try await other.answer(.code(Secret("123456")), to: "challenge-of-sixteen")
            _ = try await bench.client.signIn(with: "scripted", .anonymous)
        case .answeredElsewhere:
            _ = try await bench.client.answer(.code(Secret("123456")), to: "challenge-of-sixteen")
        default: if move.from == .asked { try await bench.advance { bench.moves.last == move } }
        }
    }
}

/// The document and the table.
@Suite("Documentation of the model") struct ModelDocumentTests {
    @Test("the document shows every move of the table, in its order, and no other")
    func moves() throws {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let document = try Data(contentsOf: URL(filePath: "\(root)/Documentation/Screens/Model.md"))
        let text = String(decoding: document, as: UTF8.self)
        let names = Set(ModelPhase.allCases.map(\.rawValue))
        let rows = text.split(separator: "\n").map { line in
            line.split(separator: "|").map { $0.filter { $0 != "`" && $0 != " " } }
        }
        let shown = rows.filter { $0.count == 3 && names.contains($0[0]) && names.contains($0[2]) }
        #expect(shown == ModelTable.all.map { [$0.from.rawValue, $0.trigger.rawValue, $0.to.rawValue] })
    }
}
