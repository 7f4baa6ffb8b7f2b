import Latchkey
import LatchkeyTesting

@testable import LatchkeyModel

/// A person who presses buttons of a model in an order drawn from a seed, at any moment, while the service takes its time,
/// fails or asks something, and the store fails. It notes what breaks the model's own laws.
@MainActor final class RandomWalk {
    /// What must stand in no notice.
    static let secrets = ["correct horse", "847261", "refresh-", "access-"]

    let bench: ModelBench
    private let seed: UInt64
    private var random: SplitMix
    private var held: [Latch] = []
    private var (taps, ended) = (0, 0)
    private(set) var violations: [String] = []
    private(set) var counts: [String: Int] = [:]

    init(seed: UInt64) throws {
        self.seed = seed
        random = SplitMix(seed: seed)
        bench = try ModelBench(policy: UnlockPolicy(atLaunch: false, afterBackground: .seconds(30)))
    }

    private var model: AuthModel { bench.model }

    private func count(_ name: String) { counts[name, default: 0] += 1 }

    private func violate(_ text: String) { violations.append("seed \(seed): \(text)") }

    /// Walks, then lets everything end, and looks at what is shown.
    func walk(steps: Int) async throws {
        await model.start()
        for _ in 0..<steps {
            disturb()
            await step()
            for _ in 0..<random.below(12) { await Task.yield() }
            look()
        }
        try await settle()
    }

    /// Decides what the service and the store do next.
    private func disturb() {
        switch random.below(9) {
        case 0, 1: bench.service.script(turns: later(.granted(to: random.below(2) == 0 ? "alice" : "bob")))
        case 2: bench.service.script(turns: later(bench.code))
        case 3: bench.service.script(turns: later(.failed(failure)))
        case 4: bench.service.script(refreshes: random.below(2) == 0 ? .failed(failure) : .rotated)
        case 5:
            bench.service.script(
                refreshes: random.below(2) == 0
                    ? .held(latch, then: .rotated) : .refused(Refusal(.definite, code: "gone")))
        case 6: bench.store.script(replaces: .refused(AuthError(.store(.full), "full")))
        case 7: bench.unlock.script(random.below(2) == 0 ? .held(latch, then: .granted) : .failed(declined))
        default: break
        }
    }

    private func later(_ step: ScriptedProvider.TurnStep) -> ScriptedProvider.TurnStep {
        random.below(2) == 0 ? step : .held(latch, then: step)
    }

    private var latch: Latch {
        let latch = Latch()
        held.append(latch)
        return latch
    }

    private var declined: AuthError { AuthError(.declined, "the person said no") }

    private var failure: any Error {
        switch random.below(4) {
        case 0: TransportError(.unreachable, wasSent: false)
        case 1: AuthError(.rateLimited, "too many", retryAfter: .seconds(7))
        case 2: AuthError(.refused(.wrongInput), "wrong")
        default: Leaky()
        }
    }

    /// An error of a plugin that is not careful.
    private struct Leaky: Error { let text = "correct horse 847261" }

    private func step() async {
        switch random.below(20) {
        case 0, 1, 2:
            if model.activity == nil, model.stage.phase == .form { bench.fillIn() }
            tap("submit") { await $0.submit() }
        case 3, 4:
            model.editChallenge { $0.setEntry("847261") }
            tap("answer") { await $0.answer() }
        case 5: tap("resend") { await $0.resend() }
        case 6: tap("sign out") { await $0.signOut() }
        case 7:
            let other = AccountID(subject: random.below(2) == 0 ? "alice" : "bob", of: bench.service.rules.binding)
            tap("switch") { await $0.switchTo(other) }
        case 8: tap("unlock") { await $0.unlock() }
        case 9: tap("stay signed in") { await $0.staySignedIn() }
        case 10: tap("try again") { await $0.tryAgain() }
        case 11: tap("start over") { await $0.startOver() }
        case 12: await model.lock()
        case 13: await model.setPhase([.active, .inactive, .background][random.below(3)])
        case 14: model.dismiss()
        case 15, 16: await cancel()
        case 17: if !held.isEmpty { held.remove(at: random.below(held.count)).open() }
        case 18: bench.clock.advance(by: .seconds(1 + random.below(60)))
        // A double tap.
        default:
            tap("sign out") { await $0.signOut() }
            tap("stay signed in") { await $0.staySignedIn() }
        }
    }

    /// Presses a button in a task of its own. While another intent is under way it must begin nothing, and say so.
    private func tap(_ name: String, _ intent: @escaping @MainActor (AuthModel) async -> IntentResult) {
        count(name)
        taps += 1
        Task { [self] in
            let underWay = model.activity
            let result = await intent(model)
            ended += 1
            if let underWay {
                count("twice")
                if result != .alreadyUnderWay { violate("\(name) during \(underWay): \(result)") }
            } else if result == .alreadyUnderWay {
                violate("\(name) was told of an intent that is over")
            }
        }
    }

    /// Cancel wins: afterwards nothing is under way, and a conversation is back at the form.
    private func cancel() async {
        let (activity, phase) = (model.activity, model.stage.phase)
        let result = await model.cancel()
        guard let activity else { return }
        count(activity.isCancellable ? "cancel" : "cancel refused")
        if result != (activity.isCancellable ? .done : .notNow) { violate("cancel of \(activity): \(result)") }
        guard activity.isCancellable else { return }
        if model.activity != nil { violate("\(activity) is under way after it was cancelled") }
        if [.sending, .answering].contains(phase), model.stage.phase != .form { violate("\(phase) was cancelled") }
    }

    /// What is shown at any moment.
    private func look() {
        guard let notice = model.notice else { return }
        let shown = "\(notice) \(notice.text(in: .english)) \(notice.guidance(in: .english)) \(model.state)"
        for secret in Self.secrets where shown.contains(secret) { violate("a notice shows \(secret)") }
        if notice.presses.isEmpty { violate("a notice without a button: \(notice)") }
    }

    /// Everything ends; then what is shown is what the client says.
    private func settle() async throws {
        for latch in held { latch.open() }
        // What waits for a time gets it.
        for turn in 1...100_000 where ended < taps {
            if turn.isMultiple(of: 50) { bench.clock.advanceToNextSleeper() }
            await Task.yield()
        }
        if ended < taps { violate("\(taps - ended) buttons never return") }
        var said = ModelState.restoring
        for _ in 0..<2_000 {
            let accounts = (try? await bench.client.accounts()) ?? []
            said = ModelState(
                current: accounts.first { $0.isCurrent } ?? accounts.first, isLocked: bench.client.isLocked)
            if said.phase == model.state.phase { break }
            await Task.yield()
        }
        if said.phase != model.state.phase, model.state != .unavailable {
            violate("shows \(model.state), and it is \(said)")
        }
        if let activity = model.activity { violate("\(activity) is still under way") }
        check(bench.moves)
    }

    /// Every move is in the table, and each begins where the one before it ended.
    private func check(_ moves: [ModelMove]) {
        var at: [ModelPhase.Region: ModelPhase] = [.session: .restoring, .conversation: .form]
        for move in moves {
            if !ModelTable.all.contains(move) { violate("\(move) is not in the table") }
            if at[move.from.region] != move.from { violate("\(move) begins elsewhere") }
            at[move.to.region] = move.to
        }
        counts["moves", default: 0] += moves.count
    }
}
