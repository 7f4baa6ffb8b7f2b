import Latchkey
import LatchkeyJSON
import LatchkeySystem

/// Who signs in, where, and what it is called: the service's answers to a sign-in, configurations, labels.
extension ProviderContract {
    func otherBindings() async throws {
        try await clauses.clause("another configuration has another binding, and other accounts") {
            let own = try await make().provider.rules.binding
            var accounts: Set<AccountID> = [AccountID(subject: "ada", of: own)]
            var bindings: Set<ProviderBinding> = [own]
            for other in others {
                let binding = other.rules.binding
                try expect(bindings.insert(binding).inserted, "two share the binding of \(binding.authority)")
                // Another client of one service has the same people.
                guard binding.authority != own.authority || binding.client == own.client else { continue }
                let isNew = accounts.insert(AccountID(subject: "ada", of: binding)).inserted
                try expect(isNew, "two share the accounts of \(binding.authority)")
            }
        }
    }

    func labels() async throws {
        try await clauses.clause("a session has its label, however the person signs in, and keeps it") {
            var labelled: [String: Set<Bool>] = [:]
            for conversation in conversations {
                let setting = try await make()
                guard let grant = try await follow(conversation, in: setting),
                    let session = grant.sessions.first(where: { $0.id == grant.current })
                else { continue }
                if let label = conversation.label {
                    try expect(session.label == label, session.label == nil ? "it has none" : "it is another one")
                }
                if let person = conversation.person {
                    labelled[person, default: []].insert(session.label?.isEmpty == false)
                    try expect(labelled[person]?.count == 1, "one way to sign in gives none, and another one does")
                }
                guard let token = grant.refreshToken else { continue }
                let credential = Credential(
                    id: Credential.ID("contract"), binding: setting.provider.rules.binding, refreshToken: token,
                    sessions: grant.sessions, state: grant.state)
                let audience = conversation.options.audience
                let want = TokenWant(session: session.id, audience: audience, newerThan: session.tokens[audience])
                let change = try await setting.provider.refresh(credential, for: want, in: setting.context)
                guard let listed = change.sessions else { continue }
                guard let kept = listed.first(where: { $0.id == session.id }) else {
                    throw Broken("after a refresh the session is gone")
                }
                try expect(kept.account == session.account, "after a refresh it is another account's")
                try expect(kept.label != nil || session.label == nil, "after a refresh it has none")
            }
        }
    }

    func addresses(_ conversation: Conversation) async throws {
        try await clauses.clause("the address of a request holds neither what was typed nor a token") {
            let setting = try await make()
            let sent = SentTexts(setting.context.transport)
            let typed = Locked<[Secret]>([])
            let over = setting.over(sent)
            var secrets: [Secret] = []
            if let grant = try await follow(conversation.noting(typed), in: over) {
                secrets += [grant.refreshToken].compactMap { $0 }
                secrets += grant.sessions.flatMap { $0.tokens.values.map(\.value) }
                if grant.refreshToken != nil {
                    let credential = Credential(
                        id: Credential.ID("contract"), binding: setting.provider.rules.binding,
                        refreshToken: grant.refreshToken, sessions: grant.sessions, state: grant.state)
                    let want = TokenWant(session: grant.current, audience: conversation.options.audience)
                    _ = try? await setting.provider.refresh(credential, for: want, in: over.context)
                    if let revoking = setting.provider as? any SessionRevoking {
                        try? await revoking.revoke(Revocation(credential), in: over.context)
                    }
                }
            }
            for secret in secrets + typed.withLock({ $0 }) where secret.count >= 8 {
                let isShown = sent.addresses.contains { $0.contains(secret.revealText()) }
                try expect(!isShown, "servers and proxies write addresses down")
            }
        }
    }

    func brokenSignIns(_ conversation: Conversation) async throws {
        guard !conversation.request.isAboutPrincipal, let signIn = try await recordedSignIn(conversation) else {
            return
        }
        let clause = "a sign-in whose answer names no person, or brings no token, is an error"
        for value: JSON? in [nil, .null, "", ["ada", "eve"]] {
            let named = signIn.own(signIn.placesOfSubject)
            try await changed(conversation, signIn, named.isEmpty ? [] : signIn.placesOfSubject, value) { grant in
                let session = grant.sessions.first { $0.id == grant.current }
                // Another answer may have named the person before.
                let isNew = session?.account.isUnnamed != true && session?.account != signIn.session.account
                return isNew ? (clause, "without a name it comes to an account") : nil
            }
            try await changed(conversation, signIn, signIn.placesOfToken, value) { _ in
                (clause, "with a wrong token it comes to a grant")
            }
        }
        let made = "a sign-in believes no ID token that is made for another one"
        for idToken in signIn.idTokens {
            let claims: [(name: String, values: [JSON?])] = [
                ("nonce", ["another-nonce", nil, ""]), ("aud", ["another-client", ["another-client"], nil]),
                ("iss", ["https://elsewhere.example", nil]), ("exp", [1, nil]),
            ]
            for (name, values) in claims {
                for value in values {
                    let place = (idToken.number, idToken.place.adding(.claims).adding(.member(name)), JSON.null)
                    try await changed(conversation, signIn, [place], value) { _ in
                        (made, value == nil ? "its \(name) is missing" : "its \(name) is another one")
                    }
                }
            }
        }
        let types = signIn.places.filter { $0.place.name == "token_type" && $0.place.token == nil }
        try await changed(conversation, signIn, types, "unheard-of") { grant in
            let tokens = grant.sessions.flatMap { $0.tokens.values }
            let isTold = tokens.allSatisfy { $0.scheme == "unheard-of" }
            return isTold ? nil : ("a token of an unknown type is an error", "a sign-in hands it out as another one")
        }
    }

    /// Signs in with another value at the places, and expects an error or a grant that `broken` finds nothing wrong with.
    private func changed(
        _ conversation: Conversation, _ signIn: RecordedSignIn, _ places: [RecordedSignIn.Found], _ value: JSON?,
        _ broken: @escaping @Sendable (Grant) -> (clause: String, detail: String)?
    ) async throws {
        guard !places.isEmpty else { return }
        let setting = try await make()
        let answers = ChangedAnswers(setting.context.transport) { number, answer in
            places.filter { $0.number == number }.reduce(answer) { $0.replacing($1.place, with: value) }
        }
        let context = try await context(of: conversation, in: setting).anew(over: answers)
        guard let grant = try? await signedIn(conversation, setting.provider, in: context), answers.isChanged,
            let (clause, detail) = broken(grant)
        else { return }
        try await clauses.clause(clause) { throw Broken(detail) }
    }

    private func signedIn(
        _ conversation: Conversation, _ provider: Provider, in context: ProviderContext
    ) async throws -> Grant? {
        var turn = try await provider.begin(conversation.request, conversation.options, in: context)
        for _ in 1...32 {
            switch turn {
            case .signedIn(let grant): return grant
            case .continuesElsewhere: return nil
            case .asked(let challenge):
                turn = try await provider.answer(
                    try await conversation.answered(challenge, clauses), to: challenge, in: context)
            }
        }
        return nil
    }

    private func recordedSignIn(_ conversation: Conversation) async throws -> RecordedSignIn? {
        let setting = try await make()
        let answers = ChangedAnswers(setting.context.transport)
        guard let grant = try await follow(conversation, in: setting.over(answers)),
            let session = grant.sessions.first(where: { $0.id == grant.current })
        else { return nil }
        return RecordedSignIn(
            answers: answers.posts, session: session, subject: session.subject(of: setting.provider.rules.binding))
    }
}

/// The answers of the service that led to a session.
private struct RecordedSignIn: Sendable {
    typealias Found = (number: Int, place: AnswerPlace, value: JSON)

    let answers: [TransportResponse]
    let session: AuthSession
    let subject: String?

    var places: [Found] {
        answers.enumerated().flatMap { number, answer in
            ((try? JSON.parse(answer.body))?.places ?? []).map { (number, $0.place, $0.value) }
        }
    }

    /// Where the access tokens are.
    var placesOfToken: [Found] {
        let tokens = session.tokens.values.map { $0.value.revealText() }
        return places.filter { found in found.value.string.map { tokens.contains($0) } == true }
    }

    /// Where the person's name is.
    var placesOfSubject: [Found] {
        guard let subject else { return [] }
        return places.filter { $0.value.string == subject || $0.value.integer.map(String.init) == subject }
    }

    /// Those that are not only claims of an access token, which are the resource's business.
    func own(_ found: [Found]) -> [Found] {
        let tokens = Set(placesOfToken.map(\.place))
        return found.filter { found in found.place.token.map { !tokens.contains($0) } ?? true }
    }

    /// Where the ID tokens are that were made for this sign-in alone.
    var idTokens: [Found] {
        let nonces = own(places).filter { $0.place.name == "nonce" && $0.place.token != nil }
        return nonces.compactMap { found in found.place.token.map { (found.number, $0, found.value) } }
    }
}
