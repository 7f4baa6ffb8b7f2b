import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeySystem

/// The service of ``PageProvider``. It answers in JSON, and its clock is the context's.
final class PageService: HTTPTransport {
    static let address = "https://page.example.com"
    static let code = "12345678"
    private let state = Locked((isOver: false, count: 0, nonces: [String: String]()))
    private let now: @Sendable () -> Date

    init(now: @escaping @Sendable () -> Date) { self.now = now }

    func send(_ request: TransportRequest, deadline: Duration) -> TransportResponse {
        let body = (try? JSON.parse(request.body ?? [])) ?? [:]
        let text = { (name: String) in body[name]?.string ?? "" }
        switch request.url.dropFirst(Self.address.count).prefix(while: { $0 != "?" }) {
        case "/begin": return answer([:])
        case "/code" where state.withLock { $0.isOver }: return refusal("over")
        case "/code" where text("code") == Self.code: return grant()
        case "/code": return refusal("wrong")
        case "/visit":
            state.withLock { $0.nonces[text("challenge")] = text("nonce") }
            return answer([
                "url": .string("\(Self.address)/page?challenge=\(text("challenge"))&state=\(text("state"))")
            ])
        case "/exchange":
            let hash = Base64URL.encode(Hash.digest(Array(text("verifier").utf8)))
            guard text("code") == "good-\(hash)", let nonce = state.withLock({ $0.nonces[hash] }) else {
                return refusal("wrong")
            }
            return grant(nonce)
        case "/refresh" where text("refresh") == "page-refresh-\(state.withLock { $0.count })": return grant()
        case "/refresh": return refusal("spent")
        case "/end":
            state.withLock { $0.isOver = true }
            return answer([:])
        default: return TransportResponse(status: 404)
        }
    }

    /// Where a browser arrives that visits the page at `url`.
    static func visited(_ url: String) -> Secret {
        let query = url.split(separator: "?").last?.split(separator: "&") ?? []
        let values = query.map { $0.split(separator: "=", maxSplits: 1).last ?? "" }
        return Secret("\(PageProvider.redirect)?code=good-\(values[0])&state=\(values[1])")
    }

    private func grant(_ nonce: String? = nil) -> TransportResponse {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        let end = JSON.integer(Int64(now().timeIntervalSince1970) + 600)
        var members: [String: JSON] = [
            "person": "ada", "refresh": .string("page-refresh-\(number)"), "access": .string("page-access-\(number)"),
            "token_type": "Bearer", "seconds": 600, "until": end,
        ]
        if let nonce {
            let claims: JSON = [
                "iss": .string(Self.address), "aud": "tests", "sub": "ada", "nonce": .string(nonce), "exp": end,
            ]
            members["id"] = .string("e30.\(Base64URL.encode(claims.serialized())).c2ln")
        }
        return answer(.object(members))
    }

    private func answer(_ members: JSON) -> TransportResponse {
        TransportResponse(status: 200, body: members.serialized())
    }

    private func refusal(_ word: String) -> TransportResponse {
        TransportResponse(status: 400, body: Array(#"{"error":"\#(word)"}"#.utf8))
    }
}
