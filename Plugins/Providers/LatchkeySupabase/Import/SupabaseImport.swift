public import Latchkey
import LatchkeyCrypto
import LatchkeyJSON

/// A session that another Supabase client stored, read from bytes that the app found.
///
/// | Client | Where | Layout |
/// | --- | --- | --- |
/// | `supabase-swift` | its local storage, such as the keychain | the names of its properties; or `session` beside an expiry date; or the service's names |
/// | `supabase-js` | `sb-<ref>-auth-token` in `localStorage` | the service's names |
/// | `supabase-js` 1 | `supabase.auth.token` in `localStorage` | `currentSession` beside an expiry date |
/// | older helpers on a server | the cookie `supabase-auth-token` or `sb-<ref>-auth-token`, decoded | an array: access token, refresh token, the identity provider's tokens |
/// | `supabase-js` on a server | the cookie of the same name, its numbered pieces joined | `base64-`, then the same JSON in base64url |
///
/// Reading sends nothing and changes nothing. `AuthClient.adopt(_:for:)` takes the session over.
public struct SupabaseImport: Sendable {
    /// The most bytes that are read.
    public static let limit = 1 << 20

    /// The person's id at the service.
    public let subject: String
    /// The issuer that the access token names; `nil` if it names none.
    public let issuer: String?
    /// The session's id at the service. Older versions of the service gave none: then it is derived
    /// from the refresh token.
    let session: String
    /// The refresh token.
    let refresh: Secret
    /// The identity provider's tokens, which the service gives only once.
    let providerTokens: [String: JSON]
    /// The stored bytes.
    let stored: Secret

    /// Reads a stored session.
    ///
    /// - Throws: `untrusted(.malformed)`, which names what is missing or wrong and never contains what is there.
    public init(_ stored: [UInt8]) throws(AuthError) {
        if let missing = CryptoLibrary.missing { throw AuthError(missing) }
        let root = ImportWire.named(try Self.document(stored))
        let field = JSONField(root)
        guard root.object != nil else { throw Self.unusable("it is no JSON object") }
        do throws(JSONError) {
            // A session may itself have a member of that name.
            let wrapper = ImportWire.of(root) == nil ? ImportWire.wrapped.first { root[$0] != nil } : nil
            let record = wrapper.map { field[$0] } ?? field
            let session = JSON.object(try record.object())
            guard let wire = ImportWire.of(session) else {
                throw JSONError(.missing, at: record[ImportWire.service.refresh].path)
            }
            let access = try Self.token(record[wire.access])
            refresh = try Self.token(record[wire.refresh])
            let claims = AccessClaims(of: access)
            // Apple's UUID type writes identifiers in capitals.
            guard let subject = claims.subject ?? UserAnswer.id(in: session[ImportWire.user])?.lowercased() else {
                throw JSONError(.missing, at: record[ImportWire.user]["id"].path)
            }
            self.subject = subject
            issuer = claims.issuer
            self.session = claims.sessionID ?? Base64URL.encode(Hash.digest(refresh.reveal()))
            providerTokens = wire.providerTokens(session)
        } catch {
            throw Self.unusable("\(error)")
        }
        self.stored = Secret(stored)
    }

    private static func token(_ field: JSONField) throws(JSONError) -> Secret {
        let text = try field.string()
        guard !text.isEmpty else { throw JSONError(.missing, at: field.path) }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw JSONError(.wrongType, at: field.path) }
        return Secret(text)
    }

    /// Reads the JSON, from a cookie too.
    private static func document(_ stored: [UInt8]) throws(AuthError) -> JSON {
        guard stored.count <= limit else { throw unusable("it is larger than \(limit) bytes") }
        guard !stored.isEmpty else { throw unusable("it is empty") }
        var bytes = stored
        if stored.starts(with: ImportWire.cookie.utf8) {
            guard let inner = cookie(stored.dropFirst(ImportWire.cookie.utf8.count)) else {
                throw unusable("what follows \(ImportWire.cookie) is no whole base64url")
            }
            bytes = inner
        }
        do throws(JSONError) {
            return try JSON.parse(bytes)
        } catch {
            // The position would reveal member names.
            throw unusable("it is no whole JSON document (\(error.code.rawValue))")
        }
    }

    /// Decodes either base64 alphabet, padded or not: helper libraries differ.
    private static func cookie(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var plain = text.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        while let last = plain.last, [UInt8(ascii: "="), 0x0A, 0x0D, 0x20].contains(last) { plain.removeLast() }
        return try? Base64URL.decode(String(decoding: plain, as: UTF8.self))
    }

    private static func unusable(_ what: String) -> AuthError {
        AuthError(.untrusted(.malformed), "The stored session cannot be used: \(what).")
    }
}

extension SupabaseImport {
    /// The refusal's code if the session turns out to be another person's.
    static let otherPerson = "other_person"

    /// The ticket that carries the stored session through a sign-in.
    var ticket: Secret { Secret(Array(ImportWire.ticket.utf8) + stored.reveal()) }

    /// Reads a ticket; `nil` if it does not come from an adoption.
    init?(ticket: Secret) throws(AuthError) {
        let bytes = ticket.reveal()
        guard bytes.starts(with: ImportWire.ticket.utf8) else { return nil }
        try self.init(Array(bytes.dropFirst(ImportWire.ticket.utf8.count)))
    }

    /// Checks that the session belongs to `provider`'s project, as far as its token says.
    func check(_ provider: SupabaseProvider) throws(AuthError) {
        func plain(_ address: String) -> String {
            (address.hasSuffix("/") ? String(address.dropLast()) : address).lowercased()
        }
        guard let issuer, plain(issuer) != plain(provider.issuer ?? provider.authURL) else { return }
        if provider.trustedIssuers.contains(issuer), SupabaseProvider.mayBeIssuer(issuer) { return }
        throw AuthError(
            .untrusted(.issuer), "The stored session is of another project than the configured one.",
            provider: provider.name)
    }
}
