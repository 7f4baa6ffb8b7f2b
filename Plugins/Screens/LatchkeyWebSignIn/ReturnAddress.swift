import Latchkey
import LatchkeyCrypto
import LatchkeyOAuthCore

/// Whether an address that the browser came back at can belong to what the browser was sent away for.
enum ReturnAddress {
    static func belongs(_ query: FormParameters?, to ask: Ask) -> Bool {
        guard let query else { return false }
        switch ask {
        case .openedLink: return true
        case .visit(let url, _):
            guard let sent = WebAddress(url)?.query.flatMap({ FormEncoding.decode($0) })?["state"] else {
                // This service ties the return by a key of its own, which the exchange checks.
                return true
            }
            return query.count(of: "state") == 1
                && constantTimeEqual(Array((query["state"] ?? "").utf8), Array(sent.utf8))
        default: return false
        }
    }
}

extension FormVisit {
    /// A name for a form to carry in place of an ID that says more than the page needs.
    static func name(of id: String) -> String { Base64URL.encode(Array(Hash.digest(Array(id.utf8)).prefix(12))) }
}
