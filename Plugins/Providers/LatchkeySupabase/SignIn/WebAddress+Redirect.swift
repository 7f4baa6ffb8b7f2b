import Latchkey

extension WebAddress {
    /// Returns the address at which a browser arrives, or that a link leads to.
    ///
    /// An app's own scheme may come without a host, as in `app://` and `app:///path`: the service
    /// keeps both. It writes the first as `app:?code=…` or as `app://#access_token=…`, which are the same place.
    static func redirect(_ text: String) -> WebAddress? {
        if let address = WebAddress(text) { return address }
        guard let mark = text.utf8.firstRange(of: "://".utf8) else { return nil }
        let rest = text.utf8[mark.upperBound...]
        guard rest.first.map({ "/?#".utf8.contains($0) }) ?? true, !rest.starts(with: "//".utf8) else { return nil }
        return WebAddress("\(text[..<mark.lowerBound]):\(text[mark.upperBound...])")
    }
}
