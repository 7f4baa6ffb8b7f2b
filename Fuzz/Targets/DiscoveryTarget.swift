import Latchkey
@testable import LatchkeyJSON
import LatchkeyOAuthCore

extension FuzzTarget {
    /// A document about a service. It must be of the right issuer, and every address in it must be secure. The
    /// first byte chooses the issuer that was asked.
    static let discovery = FuzzTarget(name: "discovery", longest: 4_096) { bytes throws(Disagreement) in
        let issuers = ["https://id.example", "http://127.0.0.1:8090/realms/lk", "https://id.example/K\u{e9}"]
        let issuer = issuers[Int(bytes.first ?? 0) % issuers.count]
        let body = Array(bytes.dropFirst())
        try demandAddresses(String(decoding: body, as: UTF8.self))
        var bodies = [body]
        if bytes.count & 3 == 0, let document = AnswerRules.document(body) {
            bodies.append(Canary.mark(document).serialized())
        }
        for body in bodies {
            let outcome = try Canary.outcome { () throws(AuthError) in
                try ServerMetadata.read(body, issuer: issuer)
            }
            guard case .success(let metadata) = outcome else { continue }
            let document = AnswerRules.document(body)
            try demand(
                document?["issuer"]?.string.map { $0.utf8.elementsEqual(issuer.utf8) } ?? false,
                "a document of another issuer is taken")
            let endpoints = [
                metadata.tokenEndpoint, metadata.authorizationEndpoint, metadata.jwksURI, metadata.userinfoEndpoint,
                metadata.deviceEndpoint, metadata.revocationEndpoint, metadata.endSessionEndpoint,
            ]
            for endpoint in endpoints.compactMap(\.self) { try demandSecure(endpoint, below: issuer) }
        }
    }

    /// Checks the same in another way, over bytes: https, or plain http to this machine if the issuer is there too.
    private static func demandSecure(_ endpoint: String, below issuer: String) throws(Disagreement) {
        let bytes = Bytes.lowercased(endpoint.utf8)
        let places = ["http://127.0.0.1", "http://[::1]", "http://localhost"].filter { bytes.starts(with: $0.utf8) }
        let end = places.first.map { bytes.dropFirst($0.utf8.count).first } ?? nil
        let isLocal =
            !places.isEmpty && (end.map { ":/?".utf8.contains($0) } ?? true) && issuer.utf8.starts(with: "http:".utf8)
        try demand(bytes.starts(with: "https://".utf8) || isLocal, "an address is taken that is not secure")
        try demand(
            !bytes.contains { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "\\") },
            "an address is taken that would be read in two ways")
    }

    private static func demandAddresses(_ issuer: String) throws(Disagreement) {
        let outcome = try Canary.outcome { () throws(AuthError) in try Discovery.addresses(of: issuer) }
        guard case .success(let addresses) = outcome, let place = WebAddress(issuer) else { return }
        for address in addresses {
            try demand(
                WebAddress(address).map { $0.isSecure && $0.origin == place.origin && $0.query == nil } ?? false,
                "a document is looked for in another place")
        }
    }
}
