import FoundationEssentials
import Latchkey
import LatchkeyOAuthCore

extension FuzzTarget {
    /// The address that a browser came back to. A code is accepted only from the requested redirect, with the state
    /// and the issuer of the transaction, and nothing secret in it is shown.
    ///
    /// The first byte chooses the transaction, the rest is the address.
    static let callback = FuzzTarget(name: "callback", longest: 2_048) { bytes throws(Disagreement) in
        let kind = Int(bytes.first ?? 0)
        let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
        let transaction = CallbackOracle.transaction(
            redirect: CallbackOracle.redirects[(kind >> 1) % CallbackOracle.redirects.count],
            namesIssuer: kind & 1 == 1)
        let outcome = try Canary.outcome { () throws(AuthError) in
            try AuthorizationResponse.check(Secret(text), against: transaction)
        }
        switch outcome {
        case .success(let code): try CallbackOracle.demandGood(text, transaction, code)
        case .failure(let error):
            switch error.code {
            case .untrusted, .declined, .refused, .serviceTrouble, .configuration: break
            default: throw Disagreement("a redirect is refused as \(error.code)")
            }
        }
        try demandForms(text)
    }

    /// Checks that a form is the same after it was written and read again, and that the address describes itself
    /// correctly.
    private static func demandForms(_ text: String) throws(Disagreement) {
        if let form = FormEncoding.decode(text) {
            if Canary.isIn(Array(text.utf8)) { try Canary.demandHidden(form) }
            guard let again = FormEncoding.decode(FormEncoding.encode(form)) else {
                return try demand(
                    form.pairs.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } > 20_000,
                    "a form cannot be read again")
            }
            try demand(
                again.pairs.count == form.pairs.count
                    && zip(again.pairs, form.pairs).allSatisfy {
                        $0.name.utf8.elementsEqual($1.name.utf8) && $0.value.utf8.elementsEqual($1.value.utf8)
                    }, "a form is read again as another one")
        }
        guard let address = WebAddress(text), !address.host.isEmpty else { return }
        let origin = WebAddress(address.origin)
        try demand(
            origin?.scheme == address.scheme && origin?.host == address.host && origin?.port == address.port,
            "the origin of an address is no address of the same place")
        try demand(!address.isSecure || address.scheme == "https" || address.isLoopback, "an address is not secure")
    }
}

/// The rules for a redirect, implemented again by other code over bytes.
enum CallbackOracle {
    static let redirects = [
        "http://127.0.0.1:4603/cb", "com.example.app:/callback", "https://App.example/K/\u{e9}?own=1&own=2",
        "http://localhost:4603",
    ]

    static func transaction(redirect: String, namesIssuer: Bool) -> AuthorizationTransaction {
        AuthorizationTransaction(
            state: Secret("st;\(Canary.text)"), nonce: nil, verifier: Secret(Canary.text), redirect: redirect,
            issuer: "https://id.example/K\u{e9}", client: "app", scopes: [],
            createdAt: Date(timeIntervalSince1970: 1_795_176_000), namesIssuer: namesIssuer)
    }

    static func demandGood(
        _ text: String, _ transaction: AuthorizationTransaction, _ code: Secret
    ) throws(Disagreement) {
        let (came, query) = split(text)
        let (expected, own) = split(transaction.redirect)
        try demand(place(came) == place(expected), "a code is taken from another address")
        var pairs = pairs(query)
        let ownPairs = Self.pairs(own)
        try demand(pairs.starts(with: ownPairs, by: ==), "a code is taken though the redirect's own query is lost")
        pairs.removeFirst(min(ownPairs.count, pairs.count))
        func values(_ name: String) -> [[UInt8]] { pairs.filter { $0[0] == Array(name.utf8) }.map { $0[1] } }
        try demand(values("state") == [transaction.state.reveal()], "a code is taken with another state")
        try demand(values("code") == [code.reveal()] && !code.isEmpty, "the code is not the one that came")
        try demand(values("error").isEmpty, "a code is taken beside an error")
        let issuers = values("iss")
        try demand(
            issuers == [Array(transaction.issuer.utf8)] || (issuers.isEmpty && !transaction.namesIssuer),
            "a code is taken from another issuer")
    }

    private static func split(_ text: String) -> (place: [UInt8], query: [UInt8]) {
        let address = Array(text.utf8.prefix { $0 != UInt8(ascii: "#") })
        let place = Array(address.prefix { $0 != UInt8(ascii: "?") })
        return (place, Array(address.dropFirst(place.count + 1)))
    }

    /// Returns scheme and host in lower case, the port without leading zeros, and the path as it is.
    private static func place(_ address: [UInt8]) -> [[UInt8]] {
        let scheme = Array(address.prefix { $0 != UInt8(ascii: ":") })
        let rest = address.dropFirst(scheme.count + 1)
        guard rest.starts(with: Array("//".utf8)) else { return [Bytes.lowercased(scheme), Array(rest)] }
        let authority = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
        let path = Array(rest.dropFirst(2 + authority.count))
        let host = Array(authority.prefix { $0 != UInt8(ascii: ":") })
        let port = Array(authority.dropFirst(host.count + 1).drop { $0 == UInt8(ascii: "0") })
        let isDefault = port == Array((Bytes.lowercased(scheme) == Array("https".utf8) ? "443" : "80").utf8)
        return [
            Bytes.lowercased(scheme), Bytes.lowercased(host), isDefault ? [] : port,
            path.isEmpty ? [UInt8(ascii: "/")] : path,
        ]
    }

    /// Returns names and values, decoded.
    private static func pairs(_ query: [UInt8]) -> [[[UInt8]]] {
        query.split(separator: UInt8(ascii: "&")).map { pair in
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            return [decoded(name), decoded(pair.dropFirst(name.count + 1))]
        }
    }

    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return bytes
    }
}
