import Latchkey
import LatchkeyOAuthCore

/// What git asks a credential helper: lines `name=value`, ended by an empty line or the end of input. A name that ends
/// with `[]` may come several times; an empty value forgets those before it
/// ([git-credential(1)](https://git-scm.com/docs/git-credential#IOFMT)).
struct GitRequest: Sendable {
    /// The most bytes that are read. A line has at most 65,535, and a server may have sent several challenges.
    static let limit = 262_144
    /// What decides where the credential goes, or is a part of it.
    private static let judged: Set<Substring> = ["protocol", "host", "username", "password", "authtype", "credential"]

    private var attributes: [Substring: String] = [:]
    private var lists: [Substring: [String]] = [:]

    /// Reads a request; `nil` if a line has no name, or a control character is in one of those that count. Others, such
    /// as a server's own words, are read as they are.
    init?(_ bytes: [UInt8]) {
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty { break }
            guard let equals = line.firstIndex(of: "="), equals > line.startIndex else { return nil }
            let (name, value) = (line[..<equals], line[line.index(after: equals)...])
            if name.hasSuffix("[]") {
                lists[name] = value.isEmpty ? [] : lists[name, default: []] + [String(value)]
            } else {
                guard !Self.judged.contains(name) || value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                    return nil
                }
                attributes[name] = String(value)
            }
        }
    }

    /// The scheme, host and port that the credential is for; `nil` if the request names none that tokens may go to.
    var origin: String? {
        guard let scheme = attributes["protocol"], let host = attributes["host"],
            let address = WebAddress("\(scheme)://\(host)"), address.isSecure, address.path.isEmpty,
            address.query == nil, address.fragment == nil
        else { return nil }
        return address.origin
    }

    /// The name in the address that git was given, or in its settings.
    var username: String? { attributes["username"] }

    /// The token of an earlier answer, which git has used; `nil` if the request has none.
    var token: Secret? { (attributes["credential"] ?? attributes["password"]).map { Secret($0) } }

    /// Whether git can send what a helper has prepared (git 2.46 and later).
    var takesPrepared: Bool { lists["capability[]", default: []].contains("authtype") }

    /// How a token can be sent to this server.
    enum Manner: Sendable {
        case bearer
        /// As a password: the server, or git, knows no other way.
        case basic
    }

    /// How to send a token to the server that asks; `nil` if it takes only what a token cannot be, such as Negotiate.
    ///
    /// `wwwauth[]` has its challenges, if git asked it before (git 2.41 and later). Where git was told to send a
    /// credential without being asked, there are none.
    var manner: Manner? {
        var fields = HeaderFields()
        for challenge in lists["wwwauth[]", default: []] { fields.add("WWW-Authenticate", challenge) }
        let schemes = Set(AuthenticationChallenge.all(in: fields).map(\.scheme))
        if takesPrepared, schemes.isEmpty || schemes.contains("bearer") { return .bearer }
        // An older git sends a password, whatever the server has asked for.
        return schemes.isEmpty || schemes.contains("basic") || schemes.contains("bearer") ? .basic : nil
    }
}
