import Latchkey
import LatchkeyCrypto

/// A publishable key. It names the instance and is not secret.
///
/// The form is `pk_test_` or `pk_live_`, then Base64 of the Frontend API's host and one dollar
/// sign, with or without padding
/// ([Clerk, How Clerk works](https://clerk.com/docs/guides/how-clerk-works/overview)).
struct PublishableKey: Hashable, Sendable {
    /// The kind of instance.
    enum Stage: String, Hashable, Sendable {
        /// `pk_test_`: a development instance, with test accounts and a low limit on users.
        case development = "test"
        /// `pk_live_`: a production instance.
        case production = "live"
    }

    /// The key as given.
    let text: String
    /// The kind of instance.
    let stage: Stage
    /// The host of the Frontend API, such as `example.clerk.accounts.dev`.
    let host: String

    /// Reads a key.
    ///
    /// - Throws: `configuration(.invalid)`, saying what is wrong.
    init(_ text: String) throws(AuthError) {
        func wrong(_ what: String) -> AuthError {
            AuthError(.configuration(.invalid), "The publishable key \(what).")
        }
        guard !text.hasPrefix("sk_") else {
            throw wrong("is a secret key; it must not be in a program that people get")
        }
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.first == "pk" else { throw wrong("does not begin with pk_") }
        guard parts.count == 3 else { throw wrong("is not of the form pk_test_… or pk_live_…") }
        guard let stage = Stage(rawValue: String(parts[1])) else { throw wrong("is neither pk_test_ nor pk_live_") }
        // Build tools strip the padding.
        let body = parts[2].prefix { $0 != "=" }
        let padding = String(repeating: "=", count: (4 - body.utf8.count % 4) % 4)
        guard parts[2].dropFirst(body.count).allSatisfy({ $0 == "=" }), !body.isEmpty,
            let bytes = try? Base64.decode(body + padding), let decoded = String(validating: bytes, as: UTF8.self)
        else { throw wrong("holds no Base64") }
        guard decoded.last == "$" else { throw wrong("was cut off: its end is missing") }
        let host = decoded.dropLast()
        guard !host.contains("$"), Self.isHost(host) else { throw wrong("names no host") }
        (self.text, self.stage, self.host) = (text, stage, String(host))
    }

    /// Whether it is a host name of at least two labels (RFC 1123, section 2.1), without port and path.
    private static func isHost(_ text: Substring) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 253 && labels.count >= 2
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy {
                        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0)
                            || $0 == 0x2D
                    }
            }
    }
}
