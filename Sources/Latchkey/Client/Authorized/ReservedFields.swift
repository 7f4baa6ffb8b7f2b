/// The header fields that a caller may not set on a request that carries a token.
///
/// They decide where the request goes, where it ends, or what the connection does afterwards. With
/// one of them the token could reach a host other than the allowed origin, or a second request
/// could hide in the first ([RFC 9110, sections 7.2 and
/// 7.6.1](https://www.rfc-editor.org/rfc/rfc9110#section-7.2); [RFC 9112, section
/// 11.2](https://www.rfc-editor.org/rfc/rfc9112#section-11.2)).
package enum ReservedFields {
    /// In lower case. Gateways take the fields in the last row as the target in place of the request's own.
    private static let names: Set<String> = [
        "authorization", "proxy-authorization", "proxy-connection", "proxy-authenticate",
        "host", "content-length", "transfer-encoding", "te", "trailer", "expect",
        "connection", "keep-alive", "upgrade", "http2-settings", "alt-used",
        "forwarded", "x-forwarded-host", "x-forwarded-server", "x-host", "x-original-host", "x-original-url",
        "x-rewrite-url",
    ]

    /// Returns whether only the client itself may set a field with this name.
    package static func contains(_ name: String) -> Bool { names.contains(name.lowercased()) }

    /// Returns whether `name: value` is a valid header line: the name is a token, and the value has
    /// no control character except tab. Any other could end the line and hide another one.
    package static func isLine(_ name: String, _ value: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy(isTokenByte)
            && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    /// Returns whether a byte may occur in a token (RFC 9110, section 5.6.2).
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
