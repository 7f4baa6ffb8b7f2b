import Latchkey
import LatchkeySystem

/// What was seen at one place and row.
struct GatewayReport: Sendable {
    private(set) var answers = 0
    private(set) var places: Set<String> = []
    private(set) var blocked: [String] = []
    private(set) var untrue: [String] = []
    private(set) var signedOut: [String] = []
    private(set) var lost: [String] = []
    /// How often each sentence was told for what the rows say.
    private(set) var sentences: [String: [String: Int]] = [:]

    /// Notes what a call threw while the gateway answered.
    mutating func note(_ row: GatewayRow, at place: String, _ error: (any Error)?) {
        answers += 1
        places.insert(place)
        let mark = "\(row.id) at \(place)"
        guard let error else {
            // The body of a revocation's success is not read (RFC 7009, section 2.2).
            let isTaken = place.hasSuffix("revocation") && row.isPlainSuccess
            return isTaken || place.hasSuffix("poll") ? () : untrue.append("\(mark): done")
        }
        if let refusal = error as? Refusal {
            return refusal.kind == .definite ? signedOut.append(mark) : blocked.append("\(mark): \(refusal)")
        }
        let told = (error as? NotSent)?.error ?? AuthError(error: error)
        // A sign-in with another device goes on until its code expires.
        if place.hasSuffix("poll") { return untrue.append("\(mark): ended by \(told.code.name)") }
        let kind = told.foreign.map { $0.kind.rawValue } ?? told.code.name
        sentences[row.says, default: [:]][kind, default: 0] += 1
        if case .signInRequired(let reason) = told.code, reason != .notAccepted { return signedOut.append(mark) }
        if !Self.fits(told, row, place) { untrue.append("\(mark): \(told.code.name): \(told.message)") }
    }

    /// Notes an answer at a place that throws nothing, and what was untrue about what was told; `nil` if nothing.
    mutating func note(_ place: String, _ untrue: String?) {
        answers += 1
        places.insert(place)
        if let untrue { self.untrue.append(untrue) }
    }

    mutating func block(_ row: GatewayRow, at place: String, _ told: String) {
        blocked.append("\(row.id) at \(place): \(told)")
    }
    mutating func lose(_ row: GatewayRow, at place: String) { lost.append("\(row.id) at \(place)") }

    /// The kinds whose sentence is true for what a row says. An answer does not say everything: a firewall's 503 is like
    /// any other, and a redirect to a sign-in like one to a new address, so some sentences name both.
    private static let fitting: [String: Set<ForeignAnswer.Kind>] = [
        "outage": [.outage, .unreadable, .networkSignIn, .notFound, .refused, .busy],
        "nothing": [.outage, .unreadable, .networkSignIn, .notFound, .refused, .tooLarge, .redirect, .blocked],
        "blocked": [.blocked, .signIn, .redirect, .networkSignIn, .unreadable, .refused, .tooLarge, .outage],
        "busy": [.busy, .blocked, .outage, .refused],
        "redirect": [.redirect, .signIn, .blocked],
        "needs-network-sign-in": [.networkSignIn, .proxySignIn, .redirect],
        "client-key": [.signIn, .refused],
    ]

    private static func fits(_ told: AuthError, _ row: GatewayRow, _ place: String) -> Bool {
        if let foreign = told.foreign {
            return foreign.status == row.status && told.recovery == .retryLater
                && fitting[row.says]?.contains(foreign.kind) == true
        }
        switch told.code {
        // Nothing came, or half of it.
        case .offline, .busy: return told.transport != nil && !row.isWhole
        // A code of the service's own form: `server_error`.
        case .serviceTrouble: return row.status >= 500 && row.says == "outage"
        // A document that is not there is what a 404 says.
        case .configuration(.invalid): return place == "oauth discovery" && row.status == 404
        case .configuration(.clientRefused): return row.says == "client-key" && place.hasPrefix("supabase")
        // A resource's refusal without another form is what RFC 6750 makes of it.
        case .signInRequired(.notAccepted): return place == "oauth userinfo" && row.status == 401
        case .refused(.scope) where row.status == 401: return place == "oauth userinfo"
        case .refused(.denied), .refused(.scope): return place == "oauth userinfo" && row.status == 403
        default: return false
        }
    }

    /// The last line.
    var line: String {
        "answers=\(answers) places=\(places.count) blocked=\(blocked.count) untrue=\(untrue.count) "
            + "signed_out=\(signedOut.count) lost=\(lost.count)"
    }

    /// Which sentence each kind of answer got, one line each.
    var table: [String] {
        sentences.sorted { $0.key < $1.key }.map { says, told in
            let parts = told.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
            return "\(says): \(parts.joined(separator: ", "))"
        }
    }

    /// What went wrong, one line each.
    var faults: [String] {
        [("blocked", blocked), ("untrue", untrue), ("signed out", signedOut), ("lost", lost)].flatMap { name, marks in
            marks.map { "\(name): \($0)" }
        }
    }
}

extension AuthError {
    /// What the engine makes of a provider's error.
    fileprivate init(error: any Error) {
        switch error {
        case let known as AuthError: self = known
        case let request as TransportError:
            self.init(.offline(.unreachable), request.message)
            transport = request
        default: self.init(.untrusted(.malformed), "\(type(of: error))")
        }
    }
}
