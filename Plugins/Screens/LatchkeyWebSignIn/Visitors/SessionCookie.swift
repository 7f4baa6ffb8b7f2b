import Latchkey
import LatchkeyCrypto

/// The value of the session cookie: which browser it is, and what proves it.
///
/// | | of a person who is signed in | of a visitor before that |
/// | --- | --- | --- |
/// | Text | `s.ID.PROOF` | `g.ID.SECONDS.PROOF` |
/// | Proof | 256 random bits, whose hash is in the visitor's record | a code of the rest under the server's key |
/// | Ends | with the record, and at the next sign-in | at the time in it, and once there is a record |
///
/// A visitor before a sign-in costs the server nothing, so nobody can fill its store by asking for pages.
enum SessionCookie: Sendable {
    case session(id: String, proof: Secret)
    case guest(id: String, end: Int64, proof: Secret)

    /// The bytes of an ID.
    static let idLength = 16
    /// The bytes of a proof.
    static let proofLength = 32

    /// Reads a cookie's value, which is not checked yet.
    init?(_ text: String) {
        guard text.utf8.count <= 200 else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        switch (parts.first, parts.count) {
        case ("s", 3):
            guard let proof = Self.bytes(parts[2], Self.proofLength), Self.isID(parts[1]) else { return nil }
            self = .session(id: parts[1], proof: Secret(proof))
        case ("g", 4):
            guard let proof = Self.bytes(parts[3], Self.proofLength), Self.isID(parts[1]), let end = Int64(parts[2]),
                String(end) == parts[2]
            else { return nil }
            self = .guest(id: parts[1], end: end, proof: Secret(proof))
        default: return nil
        }
    }

    var id: String {
        switch self {
        case .session(let id, _), .guest(let id, _, _): id
        }
    }

    /// The value to set.
    var text: String {
        switch self {
        case .session(let id, let proof): "s.\(id).\(Base64URL.encode(proof.reveal()))"
        case .guest(let id, let end, let proof): "g.\(id).\(end).\(Base64URL.encode(proof.reveal()))"
        }
    }

    private static func isID(_ text: String) -> Bool { bytes(text, idLength) != nil }

    private static func bytes(_ text: String, _ count: Int) -> [UInt8]? {
        guard let bytes = try? Base64URL.decode(text), bytes.count == count else { return nil }
        return bytes
    }
}

/// What the server's key proves.
struct ServerKey: Sendable {
    let secret: Secret

    /// Makes the cookie of a visitor who is not signed in.
    func guest(id: String, until end: Int64) -> SessionCookie {
        .guest(id: id, end: end, proof: Secret(code("guest \(id) \(end)")))
    }

    /// Whether the server has made the cookie of a visitor, and it has not ended.
    func accepts(guest id: String, until end: Int64, _ proof: Secret, now: Int64) -> Bool {
        now < end && Secret(code("guest \(id) \(end)")) == proof
    }

    /// Returns a name for the bytes of an address.
    func name(ofPlace bytes: [UInt8]) -> String {
        Base64URL.encode(Array(KeyedHash.code(for: Array("place ".utf8) + bytes, key: secret.reveal()).prefix(9)))
    }

    /// The token that every form for the holder of `cookie` has in it.
    func formToken(of cookie: SessionCookie) -> String { Base64URL.encode(code("form \(cookie.text)")) }

    private func code(_ text: String) -> [UInt8] {
        KeyedHash.code(for: Array(text.utf8), key: secret.reveal())
    }
}
