public import Latchkey
public import LatchkeyJSON

extension JSONService {
    /// Returns the whole request.
    ///
    /// - Throws: ``/Latchkey/NotSent``: whatever is wrong here, nothing was sent to the service.
    func request(
        _ method: String, _ path: String, _ body: JSON?, _ own: HeaderFields, _ bearer: Secret?
    ) throws(NotSent) -> TransportRequest {
        let url = base + path
        // Any other first character could extend the host.
        let isBelow = path.isEmpty || path.hasPrefix("/") || path.hasPrefix("?")
        guard isBelow, let address = WebAddress(url), address.fragment == nil else {
            throw refusal("The address is not below the service's.")
        }
        guard address.isSecure else { throw refusal("Nothing secret goes to \(address.origin), which is not https.") }
        var request = TransportRequest(method, url, fields: ["Accept": "application/json"])
        if let body {
            request.fields["Content-Type"] = "application/json"
            request.body = body.serialized()
        }
        for more in [fields, own] {
            for line in more.lines { request.fields[line.name] = nil }
            for line in more.lines { request.fields.add(line.name, line.value) }
        }
        if let bearer { request.fields["Authorization"] = "Bearer \(try token(bearer))" }
        return request
    }

    /// A line break in the token would begin another header field.
    private func token(_ bearer: Secret) throws(NotSent) -> String {
        guard !bearer.isEmpty, bearer.reveal().allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw refusal("The token cannot stand in a header field.")
        }
        return bearer.revealText()
    }

    private func refusal(_ message: String) -> NotSent {
        NotSent(AuthError(.configuration(.invalid), message, provider: provider))
    }
}

extension JSON {
    /// Returns the text of a secret, for the body of a request. What holds it must not print it.
    public static func revealing(_ secret: Secret) -> JSON { .string(secret.revealText()) }

    /// Returns the text of a secret, or `nil` if there is none.
    public static func revealing(_ secret: Secret?) -> JSON? { secret.map { .string($0.revealText()) } }
}
