public import Latchkey

/// Signing in, signing up, recovering, linking, stepping up: how a conversation begins.
@available(macOS 14, iOS 17, *)
extension AuthModel {
    /// What the form can be used for now, because a provider can do it. Linking needs an account.
    public var purposes: [ModelPurpose] {
        ModelPurpose.allCases.filter { !methods(for: $0).isEmpty }
    }

    /// Shows an empty form for `purpose`, with the methods of the providers that can do it.
    ///
    /// - Returns: `notNow` if no provider can, or a challenge waits for an answer.
    @discardableResult
    public func show(_ purpose: ModelPurpose) -> IntentResult {
        guard underWay == nil else { return .alreadyUnderWay }
        let methods = methods(for: purpose)
        guard !methods.isEmpty else { return .notNow }
        if stage.phase != .form, !move(.dismissed, to: .form) { return .notNow }
        notice = nil
        conversation = nil
        form = SignInForm(methods: methods, options)
        form.purpose = purpose
        return .done
    }

    private func methods(for purpose: ModelPurpose) -> [FormMethod] {
        let rules = client.rules.filter { name, rules in
            guard purpose.capability.map(rules.capabilities.contains) ?? true else { return false }
            return purpose != .link || name == person?.provider
        }
        var wanted = options
        wanted.providers = (options.providers ?? rules.keys.sorted { $0.name < $1.name }).filter { rules[$0] != nil }
        return FormMethod.offered(by: rules, wanted)
    }

    /// Sends the form.
    ///
    /// - Returns: `notNow` if it is incomplete (``SignInForm/missing``), or if the service demands a pause.
    @discardableResult
    public func submit() async -> IntentResult {
        guard underWay == nil else { return .alreadyUnderWay }
        guard let request = form.request, let method = form.method else { return .notNow }
        return await converse(request, with: method.provider, form.purpose) { await $0.submit() }
    }

    /// Signs in with a method that no form can start, such as an ID token of the system's own sign-in.
    @discardableResult
    public func signIn(_ method: SignInMethod, with provider: ProviderID) async -> IntentResult {
        guard underWay == nil else { return .alreadyUnderWay }
        return await converse(.signIn(method), with: provider, .signIn) { await $0.signIn(method, with: provider) }
    }

    /// Asks the person for a stronger proof than the session has.
    ///
    /// - Parameter demand: What the resource demands; `nil` means ``stepUpDemand``, or any stronger proof.
    @discardableResult
    public func stepUp(_ demand: StepUp? = nil) async -> IntentResult {
        guard underWay == nil else { return .alreadyUnderWay }
        guard let person else { return .notNow }
        let demand = demand ?? stepUpDemand ?? StepUp()
        let result = await converse(.stepUp(demand), with: person.provider, .link) { await $0.stepUp(demand) }
        if result == .done { stepUpDemand = nil }
        return result
    }

    private func converse(
        _ request: SignInRequest, with provider: ProviderID, _ purpose: ModelPurpose,
        again: @escaping @MainActor (AuthModel) async -> IntentResult
    ) async -> IntentResult {
        guard move(.submitted, to: .sending) else { return .notNow }
        notice = nil
        let number = beginConversation(purpose)
        var options = options.signIn
        options.redirect = redirect ?? options.redirect
        let result = await perform(.signingIn, late: { [weak self] in self?.giveUp(late: $0) }) {
            [options] client throws(AuthError) in try await client.begin(request, with: provider, options: options)
        }
        guard conversation?.number == number else { return .cancelled }
        switch result {
        case .success(let step):
            form.wipe()
            await take(step, in: number)
            return .done
        case .failure(let error): return await failed(error, in: number, again)
        }
    }

    func beginConversation(_ purpose: ModelPurpose) -> Int {
        numbers.conversation += 1
        expectsAnswer = false
        conversation = Conversation(
            number: numbers.conversation, purpose: purpose, signedIn: Conversation.signedIn(accounts))
        return numbers.conversation
    }

    /// The form was refused, or did not arrive.
    private func failed(
        _ error: AuthError, in number: Int, _ again: @escaping @MainActor (AuthModel) async -> IntentResult
    ) async -> IntentResult {
        if !error.leavesInput { form.wipe() }
        if case .store = error.code, await succeededAnyway(in: number) { return shown(error) }
        guard conversation?.number == number else { return .cancelled }
        conversation = nil
        if error.code == .cancelled {
            move(.cancelled, to: .form)
        } else if let pause = error.pause {
            if move(.slowedDown, to: .formPause) { count(pause) }
        } else {
            move(.failed, to: .form)
        }
        return shown(error, again: again)
    }

    /// Whether the person is signed in although the session could not be stored.
    func succeededAnyway(in number: Int) async -> Bool {
        await look()
        guard let conversation, conversation.number == number, conversation.hasNewcomer(accounts) else { return false }
        succeed(.granted)
        return true
    }
}
