import Latchkey

/// What git asks a credential helper, and the answer: lines `name=value`, ended by an empty line or the end of input
/// (git-credential(1), "Input/output format").
struct GitRequest: Sendable {
    /// The most bytes that are read.
    static let limit = 65_536

    private let attributes: [String: String]
    private let takesBearer: Bool

    /// Reads a request; `nil` if a line has no name, or a control character is in it.
    init?(_ bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var attributes: [String: String] = [:]
        var capabilities: Set<Substring> = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty { break }
            guard let equals = line.firstIndex(of: "="), equals > line.startIndex,
                line.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
            else { return nil }
            let value = line[line.index(after: equals)...]
            if line[..<equals] == "capability[]" {
                capabilities.insert(value)
            } else {
                attributes[String(line[..<equals])] = String(value)
            }
        }
        self.attributes = attributes
        takesBearer = capabilities.contains("authtype")
    }

    /// The scheme, host and port that the credential is for; `nil` if the request names none that tokens may go to.
    var origin: String? {
        guard let scheme = attributes["protocol"], let host = attributes["host"],
            let address = WebAddress("\(scheme)://\(host)"), address.isSecure, address.path.isEmpty,
            address.query == nil, address.fragment == nil
        else { return nil }
        return address.origin
    }

    /// Returns the lines of the answer. A git that can send a bearer token gets it as one (git 2.46), an older one
    /// as the password of `user`.
    func answer(_ token: AccessToken, _ report: TokenReport, user: String) -> [String] {
        let secret = token.value.revealText()
        var lines =
            takesBearer
            ? ["capability[]=authtype", "authtype=\(token.scheme)", "credential=\(secret)", "ephemeral=1"]
            : ["username=\(attributes["username"] ?? user)", "password=\(secret)"]
        if let end = report.endsAt { lines.append("password_expiry_utc=\(end)") }
        return lines
    }
}
