public import Latchkey

/// Answering what the service asks.
@available(macOS 14, iOS 17, *)
extension AuthModel {
    /// Sends what was entered on the challenge's screen.
    ///
    /// - Returns: `notNow` if nothing, or not enough, was entered.
    @discardableResult
    public func answer() async -> IntentResult {
        guard underWay == nil else { return .alreadyUnderWay }
        guard case .asked(let screen) = stage, let answer = screen.answer else { return .notNow }
        return await send(answer, of: screen, .answering) { await $0.answer() }
    }

    /// Sends an answer that is not typed: a passkey's assertion, the address that opened the app.
    @discardableResult
    public func answer(_ answer: Answer) async -> IntentResult {
        guard underWay == nil else { return .alreadyUnderWay }
        guard case .asked(let screen) = stage else { return .notNow }
        switch answer {
        case .declined: return await cancel()
        case .resend: return await resend()
        // The model polls by itself.
        case .poll: return .notNow
        default: return await send(answer, of: screen, .answering) { await $0.answer(answer) }
        }
    }

    /// Offers the address that the browser came back at to a challenge that it may not belong to, because whoever
    /// has sent the browser may be anybody. The challenge is used up only if the provider accepts the address.
    ///
    /// For addresses without a `state`. One with a `state` may be used once and goes to ``answer(_:)``.
    @discardableResult
    package func offer(_ address: Secret) async -> IntentResult {
        guard underWay == nil else { return .alreadyUnderWay }
        guard case .asked(let screen) = stage, let number = conversation?.number,
            move(.answered, to: .answering(screen))
        else { return .notNow }
        notice = nil
        expectsAnswer = true
        defer { if conversation?.number == number { expectsAnswer = false } }
        let id = screen.id
        let result = await perform(.answering, late: { [weak self] in self?.giveUp(late: $0) }) {
            client throws(AuthError) in try await client.offer(.redirected(address), to: id)
        }
        guard conversation?.number == number else { return .cancelled }
        switch result {
        case .success(let step):
            await take(step, in: number)
            return .done
        case .failure(let error):
            guard await isWaiting(id), conversation?.number == number else {
                return await failed(error, of: screen, in: number) { _ in .notNow }
            }
            move(.failed, to: .asked(screen))
            return shown(error)
        }
    }

    /// Requests the code or mail once more.
    ///
    /// - Returns: `notNow` if the challenge has none, or it is too early: ``ChallengeScreen/resend``.
    @discardableResult
    public func resend() async -> IntentResult {
        guard underWay == nil else { return .alreadyUnderWay }
        guard case .asked(let screen) = stage, let rest = screen.resend, rest.end <= context.clock.now() else {
            return .notNow
        }
        return await send(.resend, of: screen, .resending) { await $0.resend() }
    }

    /// Goes on with the newest challenge that an earlier launch left unanswered, such as a mailed
    /// code. Cancelling it then ends it for every window.
    ///
    /// - Returns: `notNow` if there is none, or another conversation has begun.
    @discardableResult
    public func resume() async -> IntentResult {
        guard underWay == nil else { return .alreadyUnderWay }
        guard stage.phase == .form else { return .notNow }
        let result = await perform(.answering) { client throws(AuthError) in try await client.pendingChallenges() }
        switch result {
        case .failure(let error): return shown(error) { await $0.resume() }
        case .success(let waiting):
            guard stage.phase == .form, let challenge = waiting.last else { return .notNow }
            notice = nil
            show(challenge, .resumed, in: beginConversation(.signIn))
            return .done
        }
    }

    private func send(
        _ answer: Answer, of screen: ChallengeScreen, _ activity: ModelActivity,
        again: @escaping @MainActor (AuthModel) async -> IntentResult
    ) async -> IntentResult {
        guard let number = conversation?.number, move(.answered, to: .answering(screen)) else { return .notNow }
        notice = nil
        expectsAnswer = true
        defer { if conversation?.number == number { expectsAnswer = false } }
        let id = screen.id
        let result = await perform(activity, late: { [weak self] in self?.giveUp(late: $0) }) {
            client throws(AuthError) in try await client.answer(answer, to: id)
        }
        guard conversation?.number == number else { return .cancelled }
        switch result {
        case .success(let step):
            await take(step, in: number)
            return .done
        case .failure(let error): return await failed(error, of: screen, in: number, again)
        }
    }

    /// The answer was refused, or did not arrive.
    private func failed(
        _ error: AuthError, of screen: ChallengeScreen, in number: Int,
        _ again: @escaping @MainActor (AuthModel) async -> IntentResult
    ) async -> IntentResult {
        var screen = screen
        if !error.leavesInput { screen.wipe() }
        screen.wasWrong = error.code.isAboutInput
        guard error.code != .cancelled else {
            await cancel()
            return .cancelled
        }
        if case .store = error.code, await succeededAnyway(in: number) { return shown(error) }
        let isWaiting = await isWaiting(screen.id)
        await look()
        guard let conversation, conversation.number == number else { return .cancelled }
        if error.leavesChallenge, isWaiting {
            if let pause = error.pause {
                if move(.slowedDown, to: .answerPause(screen)) { count(pause) }
            } else {
                move(.failed, to: .asked(screen))
            }
            return shown(error, again: again)
        }
        if !isWaiting, conversation.hasNewcomer(accounts) {
            succeed(.answeredElsewhere)
            return .done
        }
        end(screen, error)
        return shown(error)
    }

    /// The challenge cannot be answered any more.
    func end(_ screen: ChallengeScreen, _ error: AuthError) {
        conversation = nil
        giveUp(screen.id)
        if move(.challengeGone, to: .form) { notice = ModelNotice(error) }
    }

    /// Whether the challenge still waits for an answer, as far as the store can say.
    func isWaiting(_ id: String) async -> Bool {
        do throws(AuthError) {
            return try await client.pendingChallenges().contains { $0.id == id }
        } catch {
            return true
        }
    }
}
