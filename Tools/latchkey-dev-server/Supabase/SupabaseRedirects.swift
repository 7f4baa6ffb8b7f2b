import LatchkeyHTTPServer

extension SupabaseState {
    /// Returns the target for the person afterwards: the program's address if that is allowed, otherwise the site.
    func redirect(_ call: SupabaseCall) -> String {
        let asked =
            call.request.field(SupabaseWire.redirectTo) ?? call.query(SupabaseWire.redirectTo)
            ?? call.request.field("Referer")
        guard let asked, isAllowed(redirect: asked) else { return settings.siteURL }
        return asked
    }

    /// Whether links may lead to `redirect`.
    func isAllowed(redirect: String) -> Bool {
        // Refuse bytes that could end the header field.
        guard redirect.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let place = Self.place(redirect) else {
            return false
        }
        let isWeb = place.scheme == "http" || place.scheme == "https"
        if isWeb, place.host == "127.0.0.1" || place.host == "[::1]" { return true }
        if let site = Self.place(settings.siteURL), site.scheme == place.scheme, site.host == place.host,
            site.port == place.port
        {
            return true
        }
        return settings.redirects.contains { Self.matches(Array(redirect.utf8)[...], Array($0.utf8)[...]) }
    }

    /// Returns the parts of an address that decide whether it is allowed.
    static func place(_ url: String) -> (scheme: String, host: String, port: String?)? {
        guard
            let match = url.wholeMatch(
                of: /([A-Za-z][A-Za-z0-9+.-]*):\/\/(\[[^\]]*\]|[^\/?#:]*)(?::(\d+))?(?:[\/?#].*)?/)
        else { return nil }
        return (String(match.1), match.2.lowercased(), match.3.map(String.init))
    }

    /// Whether a text matches a pattern: `**` is anything, `*` anything without a dot or slash.
    private static func matches(_ text: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
        let star = UInt8(ascii: "*")
        guard let first = pattern.first else { return text.isEmpty }
        guard first == star else { return text.first == first && matches(text.dropFirst(), pattern.dropFirst()) }
        let isDouble = pattern.dropFirst().first == star
        let rest = pattern.dropFirst(isDouble ? 2 : 1)
        if isDouble, rest.isEmpty { return true }
        var left = text
        while true {
            if matches(left, rest) { return true }
            guard let next = left.first, isDouble || (next != UInt8(ascii: ".") && next != UInt8(ascii: "/")) else {
                return false
            }
            left = left.dropFirst()
        }
    }

    /// Returns the address with parameters merged into its query, sorted by name.
    static func adding(_ parameters: [String: String], to url: String) -> String {
        let (body, fragment) = split(url, "#")
        let (address, query) = split(body, "?")
        var merged = Dictionary(
            (FormPairs.decode(Array((query ?? "").utf8)) ?? []).map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        merged.merge(parameters) { $1 }
        return address + (merged.isEmpty ? "" : "?\(encoded(merged))") + (fragment.map { "#\($0)" } ?? "")
    }

    /// Encodes parameters, sorted by name.
    static func encoded(_ parameters: [String: String]) -> String {
        FormPairs.encode(parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
    }

    private static func split(_ text: String, _ mark: Character) -> (String, String?) {
        let parts = text.split(separator: mark, maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (parts[0], parts.count > 1 ? parts[1] : nil)
    }
}
