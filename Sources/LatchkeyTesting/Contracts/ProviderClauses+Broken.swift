import Latchkey
import LatchkeyJSON
import LatchkeySystem

/// What a provider makes of its service's own answers to a refresh, once something in them is wrong.
extension ProviderContract {
    func brokenRefreshes(_ conversation: Conversation) async throws {
        guard let (setting, credential, want) = try await refreshable(conversation) else { return }
        let seen = ChangedAnswers(setting.context.transport)
        guard
            let change = try? await setting.provider.refresh(
                credential, for: want, in: setting.context.anew(over: seen)),
            let token = change.tokens(of: want.session)[want.audience]
        else { return }
        let replay = RefreshReplay(
            setting: setting, credential: credential, want: want, answers: seen.posts, change: change, token: token)
        // What must not see an answer twice, such as a proof against replay, is not checked here.
        guard case .changed = await replay.outcome({ _, answer in answer }).end else { return }
        try await otherPersons(replay)
        try await withoutToken(replay)
        try await tokenTypes(replay)
        try await senselessLifetimes(replay)
    }

    private func otherPersons(_ replay: RefreshReplay<Provider>) async throws {
        try await clauses.clause("an answer to a refresh that names another person is an error, and no Refusal") {
            let places = replay.placesOfSubject
            // Claims of an access token alone are the resource's business.
            let own = places.filter { $0.place.token == nil || $0.place.token != replay.placeOfToken }
            guard !own.isEmpty else { return }
            let outcome = await replay.outcome { number, answer in
                places.filter { $0.number == number }.reduce(answer) { answer, found in
                    let other: JSON = found.value.integer.map { .integer($0 &+ 1) } ?? "another-person"
                    return answer.replacing(found.place, with: other)
                }
            }
            guard case .threw(let error) = outcome.end else {
                throw Broken("the other person's token is taken for the session's")
            }
            try expect(!(error is Refusal), "it threw a Refusal")
        }
    }

    private func withoutToken(_ replay: RefreshReplay<Provider>) async throws {
        let wrong: [(String, JSON?)] = [
            ("left out", nil), ("null", .null), ("empty", ""), ("a list", ["one", "two"]), ("an object", [:]),
        ]
        for found in replay.places where found.value.string == replay.token.value.revealText() {
            for (what, value) in wrong {
                let outcome = await replay.outcome { number, answer in
                    number == found.number ? answer.replacing(found.place, with: value) : answer
                }
                try await clauses.clause("a success without a token is an error, and no Refusal") {
                    guard case .threw(let error) = outcome.end else {
                        throw Broken("an answer whose token is \(what) is taken for a refresh")
                    }
                    try expect(!(error is Refusal), "an answer whose token is \(what) is taken for a Refusal")
                }
                try await clauses.clause("the new refresh token of an answer that is refused is carried") {
                    guard let next = replay.successor else { return }
                    try expect(
                        outcome.carried == next,
                        "if its access token is \(what), the refresh token that came with it is lost")
                }
            }
        }
    }

    private func tokenTypes(_ replay: RefreshReplay<Provider>) async throws {
        try await clauses.clause("a token of an unknown type is an error") {
            for found in replay.places where found.place.name == "token_type" && found.place.token == nil {
                let outcome = await replay.outcome { number, answer in
                    number == found.number ? answer.replacing(found.place, with: "unheard-of") : answer
                }
                if case .changed(let change) = outcome.end {
                    let token = change.tokens(of: replay.want.session)[replay.want.audience]
                    try expect(token?.scheme == "unheard-of", "it is handed out as \(token?.scheme ?? "none")")
                }
            }
        }
    }

    private func senselessLifetimes(_ replay: RefreshReplay<Provider>) async throws {
        guard let usual = replay.token.lifetime?.lasts else { return }
        for found in replay.places where found.value.number != nil {
            let read: @Sendable (JSON?) async -> Duration?? = { value in
                let outcome = await replay.outcome { number, answer in
                    number == found.number ? answer.replacing(found.place, with: value) : answer
                }
                guard case .changed(let change) = outcome.end,
                    let token = change.tokens(of: replay.want.session)[replay.want.audience]
                else { return nil }
                return .some(token.lifetime?.lasts)
            }
            // Only a number that the lifetime follows says how long the token lasts.
            guard let number = found.value.integer, let longer = await read(.integer(number &+ 100)) ?? nil,
                longer > usual + .seconds(50)
            else { continue }
            try await clauses.clause("a lifetime that makes no sense is not believed") {
                for none: JSON in [0, -1, -86_400, .integer(.min)] {
                    let lasts = await read(none) ?? nil
                    try expect(lasts ?? .zero <= .zero, "\(none.integer ?? 0) is taken for \(lasts ?? .zero)")
                }
                for huge: JSON in [1_000_000_000_000, .integer(.max), .number(1e300)] {
                    if let lasts = await read(huge) ?? nil {
                        try expect(lasts >= usual, "a huge number is taken for \(lasts)")
                    }
                }
                for unreadable: JSON? in [nil, .null, "soon", [600], .bool(true)] {
                    guard let lasts = await read(unreadable) ?? nil else { continue }
                    let isSane = lasts >= .seconds(1) && lasts <= .seconds(86_400)
                    try expect(isSane, "what cannot be read is taken for \(lasts)")
                }
            }
        }
    }
}

/// A refresh that was recorded, to be played again with a change in its answers.
struct RefreshReplay<Provider: AuthProvider>: Sendable {
    /// How the refresh ended.
    enum End {
        case changed(CredentialChange)
        case threw(any Error)
    }

    let setting: ProviderContract<Provider>.Setting
    let credential: Credential
    let want: TokenWant
    let answers: [TransportResponse]
    let change: CredentialChange
    let token: AccessToken

    /// Every value in the answers.
    var places: [(number: Int, place: AnswerPlace, value: JSON)] {
        answers.enumerated().flatMap { number, answer in
            ((try? JSON.parse(answer.body))?.places ?? []).map { (number, $0.place, $0.value) }
        }
    }

    /// Where the access token is.
    var placeOfToken: AnswerPlace? { places.first { $0.value.string == token.value.revealText() }?.place }

    /// Where the person's name is.
    var placesOfSubject: [(number: Int, place: AnswerPlace, value: JSON)] {
        guard let subject = credential.session(want.session)?.subject(of: setting.provider.rules.binding) else {
            return []
        }
        return places.filter { $0.value.string == subject || $0.value.integer.map(String.init) == subject }
    }

    /// The next refresh token, if the service gives one at each refresh, in the answer's body.
    var successor: Secret? {
        guard setting.provider.rules.refresh != .fixed, let next = change.refreshToken,
            next != credential.refreshToken, places.contains(where: { $0.value.string == next.revealText() })
        else { return nil }
        return next
    }

    /// Plays the refresh again. The answers are those that were recorded, with `change` made in each.
    func outcome(
        _ change: @escaping @Sendable (_ number: Int, _ answer: JSON) -> JSON
    ) async -> (end: End, carried: Secret?) {
        let transport = ChangedAnswers(setting.context.transport, recorded: answers, change: change)
        let context = setting.context.anew(over: transport)
        do {
            let change = try await setting.provider.refresh(credential, for: want, in: context)
            return (.changed(change), context.carriedToken)
        } catch {
            return (.threw(error), context.carriedToken)
        }
    }
}

extension CredentialChange {
    /// The new tokens of a session.
    fileprivate func tokens(of session: AuthSession.ID) -> [Audience: AccessToken] {
        (sessions?.first { $0.id == session }?.tokens ?? [:]).merging(minted[session] ?? [:]) { $1 }
    }
}
