import LatchkeySystem
public import FoundationEssentials
public import Latchkey
public import LatchkeyJSON

/// The claims of a JSON Web Token, read without checking its signature.
///
/// That is allowed for a token that came directly from the service, over TLS, in the answer to your
/// own request ([OpenID Connect Core, section
/// 3.1.3.7](https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation), rule 6). It
/// is wrong for a token from a browser, a person or another program.
///
/// Strict: it requires three parts of base64url without padding, a header and claims that are JSON objects,
/// and a subject, unless you say that the token may lack one. An encrypted token has five parts and is refused. Its description shows no content.
public struct TokenClaims: Sendable {
    /// The most bytes in a token.
    public static let limit = 65_536
    /// The most bytes in a subject (OpenID Connect Core, section 2).
    public static let longestSubject = 255

    /// Every claim.
    public let json: JSON
    /// The subject: the person or program that the token is about. Empty only if the token has none and was read with
    /// `demandsSubject: false`; make no account of that.
    public let subject: String
    private let provider: ProviderID?

    /// Reads `token`.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - provider: The provider that errors name.
    ///   - demandsSubject: Whether a token without `sub` is refused. RFC 7519, section 4.1.2, leaves it out of what a token
    ///     must have, and some services put the person under another name. A `sub` that is there must be right all the same.
    /// - Throws: ``/Latchkey/AuthError`` `untrusted(.malformed)` if it is not a token,
    ///   `untrusted(.claims)` if it has no subject.
    public init(of token: Secret, provider: ProviderID? = nil, demandsSubject: Bool = true) throws(AuthError) {
        self.provider = provider
        let bytes = token.reveal()
        guard bytes.count <= Self.limit else { throw Self.malformed("too large", provider) }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw Self.malformed("not of three parts", provider) }
        _ = try Self.object(parts[0], "header", provider)
        json = try Self.object(parts[1], "content", provider)
        // Service emulators leave the signature empty.
        guard Base64Alphabet.url.decode(parts[2]) != nil else {
            throw Self.malformed("signed in a wrong form", provider)
        }
        if !demandsSubject, json["sub"] == nil {
            subject = ""
            return
        }
        guard let subject = json["sub"]?.string, (1...Self.longestSubject).contains(subject.utf8.count) else {
            throw AuthError(.untrusted(.claims), "The service's token names nobody.", provider: provider)
        }
        self.subject = subject
    }

    private static func object(
        _ part: ArraySlice<UInt8>, _ name: String, _ provider: ProviderID?
    ) throws(AuthError) -> JSON {
        guard let bytes = Base64Alphabet.url.decode(part),
            let json = try? JSON.parse(bytes, limits: JSONLimits(depth: 32)),
            json.object != nil
        else { throw malformed("one whose \(name) is no object", provider) }
        return json
    }

    private static func malformed(_ what: String, _ provider: ProviderID?) -> AuthError {
        AuthError(.untrusted(.malformed), "The service's token is \(what).", provider: provider)
    }
}

extension TokenClaims {
    /// Returns the claim called `name`, or `nil` if there is none.
    public subscript(name: String) -> JSON? { json[name] }

    /// Returns the instant that a claim gives as seconds since 1970 (RFC 7519, section 2); `nil` if
    /// it is not an instant, or after the year 3000.
    public func instant(_ name: String) -> Date? {
        guard let number = json[name]?.number, (0...32_503_680_000).contains(number) else { return nil }
        return Date(timeIntervalSince1970: number)
    }

    /// Checks that the token has this issuer and this audience, each if given (rules 2 and 3).
    ///
    /// - Throws: ``/Latchkey/AuthError`` `untrusted(.issuer)` or `untrusted(.claims)`.
    public func require(issuer: String? = nil, audience: String? = nil) throws(AuthError) {
        if let issuer, json["iss"]?.string != issuer {
            throw AuthError(.untrusted(.issuer), "The token is another issuer's.", provider: provider)
        }
        guard let audience else { return }
        let named = json["aud"]?.string.map { [$0] } ?? json["aud"]?.array?.compactMap(\.string) ?? []
        guard named.contains(audience) else {
            throw AuthError(.untrusted(.claims), "The token is for somebody else.", provider: provider)
        }
    }
}

extension TokenClaims: CustomStringConvertible, CustomReflectable {
    /// A fixed text.
    public var description: String { "claims of a token" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
