import Latchkey
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyOAuthCore

/// Who sends a request.
struct Holder: Sendable {
    enum State: Sendable {
        /// A browser in which somebody is signed in.
        case session(id: String, VisitorRecord)
        /// A browser in which nobody is. `isNew` means that it must be given its cookie.
        case guest(id: String, isNew: Bool)
    }

    let state: State
    let cookie: SessionCookie
    /// The token of every form for this browser.
    let token: String
    /// Whether a cookie came that is worth nothing.
    let wasRefused: Bool

    var id: String {
        switch state {
        case .session(let id, _), .guest(let id, _): id
        }
    }

    var record: VisitorRecord? { if case .session(_, let record) = state { record } else { nil } }
}

/// What comes before a page: limits, who sends it, whether a form is our own.
extension WebSignIn {
    static func refusal(of request: WebRequest) -> MessagePage? {
        if request.body.count > WebRequest.bodyLimit { return .tooLarge(413) }
        if request.target.utf8.count > WebRequest.headLimit { return .tooLarge(414) }
        if request.fields.contains(where: { $0.name.utf8.count + $0.value.utf8.count > WebRequest.headLimit }) {
            return .tooLarge(431)
        }
        return nil
    }

    static func digest(_ request: WebRequest, _ cookie: String) -> [UInt8] {
        let cookie = request.cookie(cookie) ?? ""
        return Hash.digest(Array("\(cookie)\n\(request.target)\n".utf8) + request.body)
    }

    /// Finds out who sends `request`. A cookie that is worth nothing makes a new visitor of its sender.
    func holder(of request: WebRequest) async throws -> Holder {
        let key = try await serverKey()
        let text = request.cookie(options.cookie)
        let now = records.now
        if let text, let cookie = SessionCookie(text) {
            switch cookie {
            case .session(let id, let proof):
                if let record = try await records.visitor(id),
                    constantTimeEqual(record.hash, Self.hash(proof))
                {
                    if !record.isOver(at: now, options.limits) {
                        return Holder(
                            state: .session(id: id, try await seen(id, record, now)), cookie: cookie,
                            token: key.formToken(of: cookie), wasRefused: false)
                    }
                    try await end(id, record)
                }
            case .guest(let id, let end, let proof):
                if key.accepts(guest: id, until: end, proof, now: now), try await records.visitor(id) == nil {
                    return Holder(
                        state: .guest(id: id, isNew: false), cookie: cookie, token: key.formToken(of: cookie),
                        wasRefused: false)
                }
            }
        }
        return newGuest(key, wasRefused: text != nil)
    }

    func newGuest(_ key: ServerKey, wasRefused: Bool = false) -> Holder {
        let id = Base64URL.encode(context.random(SessionCookie.idLength))
        let cookie = key.guest(id: id, until: records.now + options.limits.guest.seconds)
        return Holder(
            state: .guest(id: id, isNew: true), cookie: cookie, token: key.formToken(of: cookie),
            wasRefused: wasRefused)
    }

    static func hash(_ proof: Secret) -> [UInt8] { Array(Base64URL.encode(Hash.digest(proof.reveal())).utf8) }

    private func seen(_ id: String, _ record: VisitorRecord, _ now: Int64) async throws -> VisitorRecord {
        guard record.isStale(at: now, options.limits) else { return record }
        let changed = try await records.change(id) { record in
            var record = record
            record?.seen = now
            return record
        }
        return changed ?? record
    }

    /// Whether a page of this server has sent the form, to this browser.
    func isOwnForm(_ form: FormParameters?, _ request: WebRequest, _ holder: Holder) -> Bool {
        guard RequestOrigin.isOwn(request, origin: options.origin), let form, form.count(of: Self.tokenField) == 1,
            let token = form[Self.tokenField]
        else { return false }
        return constantTimeEqual(Array(token.utf8), Array(holder.token.utf8))
    }

    /// The language that the person chose, or else the first of the browser's that there is.
    func language(of request: WebRequest) -> TextLanguage {
        if let chosen = request.cookie(options.languageCookie).flatMap(TextLanguage.init(rawValue:)) { return chosen }
        return AcceptedLanguage.best(request.values(of: "Accept-Language"))
    }

    /// Runs `work`, and shows the error if there is one. Gives a new visitor the cookie that the page belongs to.
    func answering(
        _ request: WebRequest, _ work: () async -> Result<WebResponse, AuthError>
    ) async -> WebResponse {
        switch await work() {
        case .success(var response):
            if request.method == "HEAD" { response.body = [] }
            return response
        case .failure(let error): return page(.failed(error, language(of: request)), request)
        }
    }

    func result(_ work: () async throws -> WebResponse) async -> Result<WebResponse, AuthError> {
        do { return .success(try await work()) } catch { return .failure(AuthError(error)) }
    }

    /// A page that belongs to no conversation.
    func page(_ message: MessagePage, _ request: WebRequest) -> WebResponse {
        let frame = PageFrame(options, language(of: request), token: nil)
        var response = WebResponse.page(message.html(frame), status: message.status)
        if let allow = message.allow { response.fields.append(("Allow", allow)) }
        if let pause = message.retryAfter { response.fields.append(("Retry-After", "\(pause)")) }
        return response
    }
}

extension WebSignInOptions {
    var languageCookie: String { cookie + "-language" }

    /// The cookie field that gives a browser `cookie` for `time`.
    func setting(_ cookie: SessionCookie, for time: Duration) -> String {
        Self.field(self.cookie, cookie.text, for: time)
    }

    static func field(_ name: String, _ value: String, for time: Duration) -> String {
        "\(name)=\(value); Path=/; Max-Age=\(time.seconds); Secure; HttpOnly; SameSite=Lax"
    }
}

/// The language that a browser asks for (RFC 9110, section 12.5.4).
enum AcceptedLanguage {
    static func best(_ fields: [String]) -> TextLanguage {
        var best: (language: TextLanguage, weight: Double)?
        for range in fields.joined(separator: ",").split(separator: ",").prefix(50) {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " } }
            guard let name = parts.first?.prefix(while: { $0 != "-" }).lowercased(),
                let language = TextLanguage(rawValue: name)
            else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            if weight > best?.weight ?? 0 { best = (language, weight) }
        }
        return best?.language ?? .english
    }
}

/// A form's text, encoded.
enum FormText {
    static func encode(_ text: String) -> String { FormEncoding.encode(text) }
}
