import Latchkey
import LatchkeySystem

/// The service of ``SmallProvider``: each refresh token works once, and gives the next one.
final class SmallService: HTTPTransport {
    private let newest = Locked(0)
    private let isCancelled = Locked(false)
    private let isRevoked = Locked(false)

    func send(_ request: TransportRequest, deadline: Duration) -> TransportResponse {
        let body = String(decoding: request.body ?? [], as: UTF8.self)
        switch request.url.dropFirst(SmallProvider.authority.count) {
        case "/sign-in" where isCancelled.withLock { $0 }:
            return TransportResponse(status: 403, body: Array("over".utf8))
        case "/sign-in": return next()
        case "/cancel":
            isCancelled.withLock { $0 = true }
            return TransportResponse(status: 200)
        case "/revoke":
            let wasRevoked = isRevoked.withLock { isRevoked in
                defer { isRevoked = true }
                return isRevoked
            }
            return TransportResponse(status: wasRevoked ? 404 : 200)
        case "/token" where body == "small-refresh-\(newest.withLock { $0 })": return next()
        case "/token": return TransportResponse(status: 400, body: Array("spent".utf8))
        default: return TransportResponse(status: 200)
        }
    }

    private func next() -> TransportResponse {
        let number = newest.withLock { newest in
            newest += 1
            return newest
        }
        return TransportResponse(status: 200, body: Array("small-refresh-\(number)".utf8))
    }
}
