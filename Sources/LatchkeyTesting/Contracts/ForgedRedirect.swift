import Latchkey

/// The address at which a browser arrived, and what a stranger makes of it.
struct ForgedRedirect {
    /// What is wrong with an address, and the address.
    typealias Forgery = (what: String, address: Secret)

    private let base: String
    private let pairs: [(name: String, value: String)]

    /// Reads the right address; `nil` if it has no query.
    init?(_ address: Secret) {
        let text = address.revealText().prefix { $0 != "#" }
        guard let mark = text.firstIndex(of: "?") else { return nil }
        base = String(text[..<mark])
        pairs = text[text.index(after: mark)...].split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
    }

    /// The value of a parameter.
    subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }

    /// Addresses that do not prove to belong to the sign-in: their `state` is missing or another one. Empty if the right
    /// one has none.
    var unproven: [Forgery] {
        guard let state = self["state"], !state.isEmpty else { return [] }
        let other = String(state.dropLast()) + (state.last == "0" ? "1" : "0")
        let turned = String(state.map { $0.isLowercase ? Character($0.uppercased()) : Character($0.lowercased()) })
        var forged: [Forgery] = [
            ("without a state", with(["state": []])), ("with an empty state", with(["state": [""]])),
            ("with another state", with(["state": [other]])),
            ("with the beginning of the state", with(["state": [String(state.prefix(state.count / 2))]])),
            ("with more than the state", with(["state": [state + "0"]])),
            ("that says no, without a state", with(["state": [], "code": [], "error": ["access_denied"]])),
            ("that says no, with another state", with(["state": [other], "code": [], "error": ["access_denied"]])),
        ]
        if turned != state { forged.append(("with the state in other letters", with(["state": [turned]]))) }
        return forged
    }

    /// Addresses that say one thing twice, so that a part of the program may read the one, and a part the other.
    var doubled: [Forgery] {
        var forged: [Forgery] = []
        for name in ["code", "state"] {
            guard let value = self[name], !value.isEmpty else { continue }
            forged.append(("with two values of `\(name)`, its own first", with([name: [value, "another-\(name)"]])))
            forged.append(("with two values of `\(name)`, its own last", with([name: ["another-\(name)", value]])))
        }
        return forged
    }

    /// The address with other values.
    private func with(_ changes: [String: [String]]) -> Secret {
        var query: [String] = []
        for (name, value) in pairs where changes[name] == nil { query.append("\(name)=\(value)") }
        for (name, values) in changes.sorted(by: { $0.key < $1.key }) { query += values.map { "\(name)=\($0)" } }
        return Secret("\(base)?\(query.joined(separator: "&"))")
    }
}
