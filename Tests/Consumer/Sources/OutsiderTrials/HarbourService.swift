public import Latchkey
import LatchkeyCrypto
import LatchkeyJSON

/// The harbour office, as a transport: one skipper, and refresh tokens that work once.
public actor HarbourService: HTTPTransport {
    /// Where it is.
    public static let address = "https://harbour.example.com"
    /// The skipper's mail, as the harbour writes it.
    public static let mail = "ada@example.com"
    /// The skipper's password.
    public static let password = "a-sloop-named-difference"
    /// What every mail says.
    public static let code = "48151623"
    private var pending: Set<String> = []
    private var newest: String?
    private var spent: Set<String> = []
    private var count = 0

    /// A harbour where nobody has signed in yet.
    public init() {}

    /// Answers as the harbour does.
    public func send(_ request: TransportRequest, deadline: Duration) -> TransportResponse {
        guard let body = try? JSON.parse(request.body ?? []) else { return TransportResponse(status: 415) }
        let path = String(request.url.dropFirst(Self.address.count))
        let text = { (name: String) in body[name]?.string ?? "" }
        switch path {
        case "/sign-in": return begin(text("mail"), text("password"))
        case "/sign-in/code": return enter(text("code"), text("pending"))
        case "/sign-in/resend":
            return pending.contains(text("pending")) ? TransportResponse(status: 204) : refusal("code_expired")
        case "/sign-in/cancel":
            pending.remove(text("pending"))
            return TransportResponse(status: 204)
        case "/visit":
            let query = "challenge=\(text("challenge"))&state=\(text("state"))"
            return answer(["url": .string("\(Self.address)/page?\(query)")])
        case "/sign-in/visit":
            let hash = Base64URL.encode(Hash.digest(Array(text("verifier").utf8)))
            return text("code") == "visit-\(hash)" ? grant() : refusal("wrong_code")
        case "/refresh": return refresh(text("refresh"))
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
        count += 1
        pending.insert("pending-\(count)-of-ada")
        return answer(["pending": .string("pending-\(count)-of-ada"), "sent_to": "a…@example.com"])
    }

    private func enter(_ code: String, _ asked: String) -> TransportResponse {
        guard pending.contains(asked) else { return refusal("code_expired") }
        guard code == Self.code else { return refusal("wrong_code") }
        pending.remove(asked)
        return grant()
    }

    private func refresh(_ token: String) -> TransportResponse {
        if token == newest { return grant() }
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

    private func grant() -> TransportResponse {
        if let newest { spent.insert(newest) }
        count += 1
        let refresh = "refresh-\(count)-of-ada-and-nobody-else"
        newest = refresh
        return answer([
            "skipper": "skipper-7", "mail": .string(Self.mail), "session": .string("session-\(count)"),
            "refresh": .string(refresh), "access": .string("access-\(count)-of-ada-and-nobody-else"), "seconds": 600,
        ])
    }

    private func answer(_ members: JSON) -> TransportResponse {
        TransportResponse(status: 200, body: members.serialized())
    }

    private func refusal(_ code: String) -> TransportResponse {
        TransportResponse(status: 400, body: Array(#"{"error":"\#(code)"}"#.utf8))
    }
}
