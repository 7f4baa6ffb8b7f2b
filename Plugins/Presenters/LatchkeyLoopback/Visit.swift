import Latchkey
import LatchkeyHTTPServer

/// One sign-in in the browser that the listener waits for.
struct Visit: Equatable, Sendable {
    /// How the listener knows that a redirect belongs to the visit.
    enum Proof: Equatable, Sendable {
        /// The `state` of the request, which comes back with the answer (RFC 6749, section 10.12).
        case state(Secret)
        /// The address itself, whose last segment cannot be guessed.
        case path
        /// Nothing: any program that knows the port can send one.
        case none
    }

    /// The service's address; `nil` when the person opens a link from a mail.
    var url: Secret?
    /// The proof that a redirect is not forged.
    var proof: Proof
    /// Whether whatever comes to the address is an answer, also nothing behind it. A `state` is another service's then.
    var takesAny = false

    /// Creates the visit of `url`, which ends at `redirect`.
    ///
    /// A `state` counts only if it is the one that comes back to `redirect`. The address may contain that of
    /// another service too, for which this one has another `redirect_uri` and `state`.
    init(_ url: String?, redirect: String, hasRandomPath: Bool, takesAny: Bool = false) {
        self.url = url.map { Secret($0) }
        self.takesAny = takesAny
        let query = url.flatMap { WebAddress($0) }?.query.flatMap { FormPairs.decode(Array($0.utf8)) } ?? []
        let states = query.filter { $0.name == "state" }.map(\.value)
        let isOwn = query.allSatisfy { $0.name != "redirect_uri" || $0.value == redirect }
        if !takesAny, isOwn, states.count == 1, !states[0].isEmpty {
            proof = .state(Secret(states[0]))
        } else {
            proof = hasRandomPath ? .path : .none
        }
    }

    /// Returns whether these parameters end before the `state`, or in it: the person copied only a part. Some services leave
    /// it out of an error.
    func isCut(_ parameters: [(name: String, value: String)]) -> Bool {
        guard case .state(let state) = proof else { return false }
        let states = parameters.filter { $0.name == "state" }.map(\.value)
        guard let first = states.first else { return !parameters.contains { $0.name == "error" } }
        return states.count == 1 && state.revealText().hasPrefix(first)
    }

    /// Returns whether a redirect with these parameters may belong to the visit.
    func accepts(_ parameters: [(name: String, value: String)]) -> Bool {
        switch proof {
        case .state(let state):
            let states = parameters.filter { $0.name == "state" }
            return states.count == 1 && Secret(states[0].value) == state
        case .path: return takesAny || !parameters.isEmpty
        case .none where takesAny: return true
        case .none:
            // The answer to a link may be only a message that a second link is expected.
            let names: Set = url == nil ? ["code", "error", "message"] : ["code", "error"]
            let answers = parameters.filter { names.contains($0.name) }
            return answers.count == 1 && !answers[0].value.isEmpty
        }
    }
}
