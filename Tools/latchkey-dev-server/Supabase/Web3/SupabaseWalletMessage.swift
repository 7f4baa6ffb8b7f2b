/// A message for signing in with a wallet (EIP-4361, and Solana's variant of it).
struct SupabaseWalletMessage {
    let domain: String
    let address: String
    let statement: String?
    let network: String?
    /// The site that it was signed for, as written in the message.
    let uri: String
    let place: (scheme: String, host: String, port: String?)
    /// The time of the signature, and the limits of its validity, in seconds since 1970.
    let issued: Double
    let notBefore: Double?
    let expires: Double?

    /// Returns `nil` if the message lacks a required line, or has one that cannot be read.
    init?(_ text: String, chain: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let phrase = " wants you to sign in with your \(chain == "solana" ? "Solana" : "Ethereum") account:"
        guard lines.count > 5, lines[0].hasSuffix(phrase), lines[2].isEmpty else { return nil }
        domain = String(lines[0].dropLast(phrase.count))
        address = lines[1]
        let isAddress =
            chain == "solana"
            ? address.wholeMatch(of: /[a-zA-Z0-9]{32,44}/) != nil
            : address.wholeMatch(of: /0x[a-fA-F0-9]{40}/) != nil
        guard isAddress, domain.wholeMatch(of: /[A-Za-z0-9.\-]+(:[0-9]{1,5})?/) != nil else { return nil }
        statement = lines[3].isEmpty || !lines[4].isEmpty ? nil : lines[3]
        guard let members = Self.members(lines[(statement == nil ? 3 : 5)...]), members["Version"] == "1",
            let uri = members["URI"], let place = SupabaseState.place(uri),
            let issued = members["Issued At"].flatMap(RFC3339.seconds)
        else { return nil }
        (self.uri, self.place, self.issued) = (uri, place, issued)
        network = members["Chain ID"]
        let (notBefore, expires) = (members["Not Before"], members["Expiration Time"])
        (self.notBefore, self.expires) = (notBefore.flatMap(RFC3339.seconds), expires.flatMap(RFC3339.seconds))
        guard (notBefore == nil) == (self.notBefore == nil), (expires == nil) == (self.expires == nil),
            self.expires.map({ issued <= $0 && self.notBefore ?? issued <= $0 }) ?? true
        else { return nil }
    }

    /// Returns the lines after the statement by name; `nil` if one has no name.
    private static func members(_ lines: ArraySlice<String>) -> [String: String]? {
        var members: [String: String] = [:]
        var isList = false
        for line in lines where !line.isEmpty {
            if isList, line.hasPrefix("- ") { continue }
            isList = line == "Resources:"
            guard !isList else { continue }
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            members[String(parts[0])] = String(parts[1].drop { $0 == " " })
        }
        return members
    }
}
