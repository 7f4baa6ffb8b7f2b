import Latchkey
import LatchkeyHTTPServer

/// What the listener waits for.
struct Visit: Equatable, Sendable {
    /// How the listener knows that a redirect belongs to the visit.
    enum Proof: Equatable, Sendable {
        /// The `state` of the request, which comes back with the answer (RFC 6749, section 10.12).
        case state(Secret)
        /// The address itself, whose last segment nobody can guess.
        case path
        /// Nothing: whoever knows the port can send one.
        case none
    }

    /// The service's address; `nil` when the person opens a link that was sent to them.
    var url: Secret?
    /// How a redirect is told from a forged one.
    var proof: Proof

    /// The visit of `url`, which ends at `redirect`.
    ///
    /// A `state` counts only when it is the one that comes back to `redirect`. The address may also be that of another
    /// service at once, at which this one has a `redirect_uri` and a `state` of its own.
    init(_ url: String?, redirect: String, hasRandomPath: Bool) {
        self.url = url.map { Secret($0) }
        let query = url.flatMap { WebAddress($0) }?.query.flatMap { FormPairs.decode(Array($0.utf8)) } ?? []
        let states = query.filter { $0.name == "state" }.map(\.value)
        let isOwn = query.allSatisfy { $0.name != "redirect_uri" || $0.value == redirect }
        if isOwn, states.count == 1, !states[0].isEmpty {
            proof = .state(Secret(states[0]))
        } else {
            proof = hasRandomPath ? .path : .none
        }
    }

    /// Whether a redirect with these parameters may be the visit's.
    func accepts(_ parameters: [(name: String, value: String)]) -> Bool {
        switch proof {
        case .state(let state):
            let states = parameters.filter { $0.name == "state" }
            return states.count == 1 && Secret(states[0].value) == state
        case .path: return !parameters.isEmpty
        case .none:
            // The answer to a link that was sent may be only that another one is waited for.
            let names: Set = url == nil ? ["code", "error", "message"] : ["code", "error"]
            let answers = parameters.filter { names.contains($0.name) }
            return answers.count == 1 && !answers[0].value.isEmpty
        }
    }
}
