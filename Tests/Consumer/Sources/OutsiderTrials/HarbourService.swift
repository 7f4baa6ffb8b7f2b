import FoundationEssentials
public import Latchkey
import LatchkeyCrypto
import LatchkeyJSON

/// The harbour office, as a transport: refresh tokens that work once, and skippers that it never forgets.
public actor HarbourService: HTTPTransport {
    /// Where it is.
    public static let address = "https://harbour.example.com"
    /// The skipper's mail, as the harbour writes it.
    public static let mail = "ada@example.com"
    /// The skipper's password.
    public static let password = "a-sloop-named-difference"
    /// What every mail says.
    public static let code = "48151623"
    private let register: HarbourRegister
    private var pending: [String: String] = [:]
    private var nonces: [String: String] = [:]
    private var guest = HarbourService.mail
    private var newest: String?
    private var spent: Set<String> = []
    private var count = 0

    /// A harbour where nobody has signed in yet. Harbours with one register know the same skippers.
    public init(_ register: HarbourRegister = HarbourRegister()) { self.register = register }

    /// Answers as the harbour does.
    public func send(_ request: TransportRequest, deadline: Duration) async -> TransportResponse {
        guard let body = try? JSON.parse(request.body ?? []) else { return TransportResponse(status: 415) }
        let path = String(request.url.dropFirst(Self.address.count).prefix { $0 != "?" })
        let text = { (name: String) in body[name]?.string ?? "" }
        switch path {
        case "/sign-in": return begin(text("mail"), text("password"))
        case "/sign-up":
            guard text("password").count >= 8 else { return refusal("weak_password") }
            guard await register.add(text("mail")) else { return refusal("mail_taken") }
            return ask(text("mail").lowercased())
        case "/sign-in/code": return await enter(text("code"), text("pending"))
        case "/sign-in/resend":
            return pending[text("pending")] != nil ? TransportResponse(status: 204) : refusal("code_expired")
        case "/sign-in/cancel":
            pending[text("pending")] = nil
            return TransportResponse(status: 204)
        case "/visit":
            // As many services, it takes visits without a proof key, and a key that is no hash.
            let challenge = text("challenge").isEmpty ? "open-\(text("state"))" : text("challenge")
            nonces[challenge] = text("nonce")
            let query = "challenge=\(challenge)&state=\(text("state"))"
            return answer(["url": .string("\(Self.address)/page?\(query)")])
        case "/sign-in/visit":
            let hash = Base64URL.encode(Hash.digest(Array(text("verifier").utf8)))
            let challenge = String(text("code").dropFirst("visit-".count))
            let isProven = [hash, text("verifier")].contains(challenge) || challenge.hasPrefix("open-")
            guard isProven, let nonce = nonces.removeValue(forKey: challenge) else { return refusal("wrong_code") }
            return await grant(of: Self.mail, nonce: nonce)
        case "/refresh": return await refresh(text("refresh"))
        case "/sign-out":
            guard end(text("refresh")) else { return refusal("session_ended") }
            return TransportResponse(status: 204)
        default: return TransportResponse(status: 404)
        }
    }

    /// Where a browser arrives that visits the page at `url` and comes back to `redirect`.
    public static func visited(_ url: String, _ redirect: String, state forged: String? = nil) -> Secret {
        let query = url.split(separator: "?").last?.split(separator: "&") ?? []
        let value = { (name: String) in
            String(query.first { $0.hasPrefix(name + "=") }?.dropFirst(name.count + 1) ?? "")
        }
        return Secret("\(redirect)?code=visit-\(value("challenge"))&state=\(forged ?? value("state"))")
    }
}

extension HarbourService {
    private func begin(_ mail: String, _ password: String) -> TransportResponse {
        guard mail.lowercased() == Self.mail, password == Self.password else { return refusal("wrong_password") }
        return ask(Self.mail)
    }

    /// Sends a code by mail.
    private func ask(_ mail: String) -> TransportResponse {
        count += 1
        pending["pending-\(count)-of-ada"] = mail
        return answer(["pending": .string("pending-\(count)-of-ada"), "sent_to": "a…@example.com", "minutes": 10])
    }

    private func enter(_ code: String, _ asked: String) async -> TransportResponse {
        guard let mail = pending[asked] else { return refusal("code_expired") }
        guard code == Self.code else { return refusal("wrong_code") }
        pending[asked] = nil
        return await grant(of: mail)
    }

    private func refresh(_ token: String) async -> TransportResponse {
        if token == newest { return await grant(of: guest) }
        // Somebody has a token that was used already: nobody can say who is the thief, so nobody stays.
        guard spent.contains(token) else { return refusal("session_ended") }
        newest = nil
        return refusal("token_spent")
    }

    private func end(_ token: String) -> Bool {
        guard token == newest else { return false }
        newest = nil
        return true
    }

    private func grant(of mail: String, nonce: String? = nil) async -> TransportResponse {
        let skipper = "skipper-\(await register.number(of: mail))"
        if let newest { spent.insert(newest) }
        count += 1
        let refresh = "refresh-\(count)-of-ada-and-nobody-else"
        (newest, guest) = (refresh, mail)
        var members: [String: JSON] = [
            "skipper": .string(skipper), "mail": .string(mail), "session": .string("session-\(count)"),
            "refresh": .string(refresh), "access": .string("access-\(count)-of-ada-and-nobody-else"), "seconds": 600,
            "token_type": "Bearer", "until": .integer(Int64(Date().timeIntervalSince1970) + 600),
        ]
        if let nonce { members["passport"] = .string(passport(of: skipper, nonce)) }
        return answer(.object(members))
    }

    /// A token whose signature nobody reads.
    private func passport(of skipper: String, _ nonce: String) -> String {
        let end = Int64(Date().timeIntervalSince1970) + 600
        let claims: JSON = [
            "iss": .string(Self.address), "aud": "app", "sub": .string(skipper), "nonce": .string(nonce),
            "exp": .integer(end), "iat": .integer(end - 600),
        ]
        return [JSON.object([:]).serialized(), claims.serialized(), []].map(Base64URL.encode).joined(separator: ".")
    }

    private func answer(_ members: JSON) -> TransportResponse {
        TransportResponse(status: 200, body: members.serialized())
    }

    private func refusal(_ code: String) -> TransportResponse {
        TransportResponse(status: 400, body: Array(#"{"error":"\#(code)"}"#.utf8))
    }
}
