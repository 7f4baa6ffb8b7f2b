import LatchkeyCrypto
import LatchkeyHTTPServer

extension DevState {
    /// Authenticates the client: confidential ones by Basic or by the body, public ones by name (RFC 6749 section
    /// 2.3). Refuses two ways at once.
    func authenticate(
        _ request: ServerRequest, _ parameters: Parameters, note: inout Note
    ) throws(OAuthFailure) -> DevServer.Client {
        guard parameters[DevServerWire.clientAssertion] == nil else {
            throw .client("Client assertions are not supported.")
        }
        var id = parameters[DevServerWire.clientID]
        var secret = parameters[DevServerWire.clientSecret]
        if request.count(ofField: "Authorization") > 0 {
            let basic = try Self.basic(request)
            guard secret == nil else {
                throw OAuthFailure(.invalidRequest, "The client authenticates twice, by Basic and in the body.")
            }
            guard id == nil || id == basic.id else {
                throw OAuthFailure(.invalidRequest, "The client_id differs from the one of Basic.")
            }
            (id, secret) = (basic.id, basic.secret)
        }
        guard let id else { throw OAuthFailure(.invalidRequest, "The client_id is missing.") }
        guard let client = clients[id] else { throw .client("The client is unknown.") }
        note.client = client.id
        switch (client.secret, secret) {
        // An empty secret counts as none (RFC 6749, section 2.3.1): some public clients send it by Basic.
        case (nil, nil), (nil, ""): return client
        case (let expected?, let given?) where constantTimeEqual(Array(expected.utf8), Array(given.utf8)):
            return client
        default: throw .client("The client did not prove itself the way it is registered.")
        }
    }

    /// Reads identifier and secret of the Basic scheme, which are form-encoded before they are joined.
    private static func basic(_ request: ServerRequest) throws(OAuthFailure) -> (id: String, secret: String) {
        guard request.count(ofField: "Authorization") == 1, let field = request.field("Authorization") else {
            throw OAuthFailure(.invalidRequest, "The Authorization field stands twice.")
        }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic", let bytes = try? Base64.decode(String(parts[1]))
        else {
            throw .client("The Authorization field is not of the Basic scheme.")
        }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else {
            throw .client("The Basic value has no colon.")
        }
        guard let id = FormPairs.text(bytes[..<colon]), let secret = FormPairs.text(bytes[(colon + 1)...]) else {
            throw OAuthFailure(.invalidRequest, "The Basic value is not form-encoded.")
        }
        return (id, secret)
    }
}
