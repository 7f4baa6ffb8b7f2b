import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeySystem

/// What a provider makes of addresses that strangers may have made: at the start of a visit, and at its end.
extension ProviderContract {
    func forgedRedirects(_ conversation: Conversation) async throws {
        try await clauses.clause(
            "a redirect without its own state, or with two values, is an error, and nothing is sent"
        ) {
            try await atVisit(conversation) { setting, challenge, redirect, _ in
                for forged in redirect.unproven + redirect.doubled {
                    let silent = SilentTransport()
                    try await expectError("an AuthError for one \(forged.what)", where: { _ in true }) {
                        _ = try await setting.provider.answer(
                            .redirected(forged.address), to: challenge, in: setting.context(over: silent))
                    }
                    try expect(silent.count == 0, "a request was sent for one \(forged.what)")
                }
            }
        }
        try await clauses.clause("a forged redirect leaves the visit open, and the person's own still counts") {
            try await atVisit(conversation) { setting, challenge, redirect, own in
                for forged in redirect.unproven {
                    do {
                        _ = try await setting.provider.answer(
                            .redirected(forged.address), to: challenge, in: setting.context)
                    } catch is StillOpen { continue } catch {
                        throw Broken("one \(forged.what) ends it: it threw \(Clauses.shown(error)) and no StillOpen")
                    }
                    throw Broken("one \(forged.what) is taken")
                }
                _ = try await setting.provider.answer(own, to: challenge, in: setting.context)
            }
        }
    }

    func otherVisits(_ conversation: Conversation) async throws {
        try await clauses.clause("the redirect of another sign-in is an error, and nothing is sent") {
            let setting = try await make()
            guard let (one, other) = try await twoVisits(conversation, setting),
                case .redirected(let address) = try await conversation.answered(other, clauses),
                ForgedRedirect(address)?["state"] != nil
            else { return }
            let silent = SilentTransport()
            try await expectError("an AuthError", where: { _ in true }) {
                _ = try await setting.provider.answer(
                    .redirected(address), to: one, in: setting.context(over: silent))
            }
            try expect(silent.count == 0, "a request was sent")
        }
        try await clauses.clause("each visit has a state and a proof key of its own") {
            let setting = try await make()
            let sent = SentTexts(setting.context.transport)
            guard let (one, other) = try await twoVisits(conversation, setting.over(sent)) else { return }
            let (first, second) = (VisitMarks(of: one, sent), VisitMarks(of: other, sent))
            for name in ["state", "nonce"] {
                guard let value = first.query[name] else { continue }
                // 22 characters of base64 hold 128 bits.
                try expect(value.utf8.count >= 22, "its \(name) is too short")
                try expect(second.query[name] != value, "two have the same \(name)")
            }
            guard !conversation.lacksProofKey else { return }
            try expect(!first.verifiers.isEmpty, "it has no proof key: no hash of a verifier is sent")
            try expect(first.verifiers.isDisjoint(with: second.verifiers), "two have the same proof key")
            for verifier in first.verifiers {
                try expect((43...128).contains(verifier.utf8.count), "the verifier has a wrong length")
                try expect(!first.texts.contains { $0.contains(verifier) }, "the verifier itself is sent")
            }
        }
    }

    func visitedPages(_ conversation: Conversation) async throws {
        let clause = "a visit leads to a page of the service"
        try await clauses.clause(clause) {
            guard let extra = conversation.pages else { return }
            let setting = try await make()
            guard let challenge = try await visit(conversation, setting),
                case .visit(let url, _) = challenge.ask
            else { return }
            let own = ([setting.provider.rules.binding.authority] + extra).compactMap { WebAddress($0)?.origin }
            let isOwn = { (url: String) in
                guard let address = WebAddress(url), address.isSecure else { return false }
                return own.contains(address.origin) && !url.prefix { $0 != "?" && $0 != "#" }.contains("@")
            }
            try expect(isOwn(url), "it leads to \(WebAddress(url)?.origin ?? "no address")")
            guard let origin = WebAddress(url)?.origin else { return }
            let page = url.prefix { $0 != "?" && $0 != "#" }
            let foreign = [
                "https://elsewhere.example", "http://\(origin.split(separator: "/").last ?? "")",
                "javascript:alert(1)//",
                "\(origin).elsewhere.example", "\(origin)@elsewhere.example",
            ]
            for other in foreign where !isOwn(other + page.dropFirst(origin.count)) {
                let setting = try await make()
                let changed = ChangedAnswers(setting.context.transport) { _, answer in
                    answer.places.reduce(answer) { changed, found in
                        guard let text = found.value.string, text.hasPrefix(page) else { return changed }
                        return changed.replacing(found.place, with: .string(other + text.dropFirst(origin.count)))
                    }
                }
                let led = try? await visit(conversation, setting.over(changed))
                guard case .visit(let url, _)? = led?.ask else { continue }
                try expect(isOwn(url), "an answer that names \(other) leads a person there")
            }
        }
    }

    /// Follows the conversation to its first visit, and calls `check` there with the address that ends it.
    private func atVisit(
        _ conversation: Conversation,
        _ check: (Setting, Challenge, ForgedRedirect, Answer) async throws -> Void
    ) async throws {
        let setting = try await make()
        _ = try await follow(conversation, in: setting) { turn in
            guard case .asked(let challenge) = turn, case .visit = challenge.ask else { return false }
            let answer = try await conversation.answered(challenge, clauses)
            guard case .redirected(let address) = answer, let redirect = ForgedRedirect(address) else { return true }
            try await check(setting, challenge, redirect, answer)
            return true
        }
    }

    /// Begins the conversation; `nil` if it does not begin with a visit.
    private func visit(_ conversation: Conversation, _ setting: Setting) async throws -> Challenge? {
        let context = try await context(of: conversation, in: setting)
        guard
            case .asked(let challenge) = try await setting.provider.begin(
                conversation.request, conversation.options, in: context),
            case .visit = challenge.ask
        else { return nil }
        return challenge
    }

    /// Begins it twice at one service. A recording may contain it only once.
    private func twoVisits(_ conversation: Conversation, _ setting: Setting) async throws -> (Challenge, Challenge)? {
        guard let one = try await visit(conversation, setting), let other = try? await visit(conversation, setting)
        else { return nil }
        return (one, other)
    }
}

/// What a visit gives away of itself, and what it keeps.
private struct VisitMarks {
    /// The parameters of its address, and what it keeps under the same names.
    var query: [String: String] = [:]
    /// What is sent in the open: its address, and the requests before it.
    var texts: [String] = []
    /// What it keeps, and sends only a hash of.
    var verifiers: Set<String> = []

    init(of challenge: Challenge, _ sent: SentTexts) {
        if case .visit(let url, _) = challenge.ask {
            texts = sent.texts + [url]
            let text = url.split(separator: "?", maxSplits: 1).last ?? ""
            for pair in text.prefix(while: { $0 != "#" }).split(separator: "&") {
                let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
                if parts.count == 2 { query[parts[0]] = parts[1] }
            }
        }
        for (place, value) in challenge.state.places {
            guard let kept = value.string else { continue }
            // A shorter text may be anything.
            if let name = place.name, query[name] == nil, kept.utf8.count >= 22 { query[name] = kept }
            let hash = Base64URL.encode(Hash.digest(Array(kept.utf8)))
            if texts.contains(where: { $0.contains(hash) }) { verifiers.insert(kept) }
        }
    }
}

/// Passes requests on, and notes their addresses and what is in them.
final class SentTexts: HTTPTransport {
    private let inner: any HTTPTransport
    private let seen = Locked((addresses: [String](), bodies: [String]()))

    init(_ inner: any HTTPTransport) { self.inner = inner }

    var addresses: [String] { seen.withLock { $0.addresses } }
    var texts: [String] { seen.withLock { $0.addresses + $0.bodies } }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        seen.withLock { seen in
            seen.addresses.append(request.url)
            if let body = request.body { seen.bodies.append(String(decoding: body, as: UTF8.self)) }
        }
        return try await inner.send(request, deadline: deadline)
    }
}
