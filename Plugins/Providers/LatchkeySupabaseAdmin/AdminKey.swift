import Latchkey
import LatchkeySupabase

/// A key for a project's administration. Other kinds of keys are refused.
struct AdminKey: Sendable {
    /// The key.
    let secret: Secret
    /// Whether the key is a token, which the service itself reads. A key of the newer format is
    /// not, and is never sent as a bearer token.
    let isToken: Bool

    private static let newFormat = "sb_secret_"
    /// The roles that the service accepts as administrators (`GOTRUE_JWT_ADMIN_ROLES`).
    private static let roles = ["service_role", "supabase_admin"]

    /// - Throws: `configuration(.invalid)`, naming the kind of key. The error never contains the
    ///   key or a part of it.
    init(_ key: Secret) throws(AuthError) {
        secret = key
        let text = key.revealText()
        guard !text.isEmpty else { throw Self.invalid("The secret key is empty.") }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Self.invalid("The secret key holds a space, a line end or another character that no key has.")
        }
        guard !text.hasPrefix("sb_publishable_") else {
            throw Self.invalid(
                "The key is a publishable one, which every app carries; administration takes the project's secret key.")
        }
        isToken = !text.hasPrefix(Self.newFormat)
        guard isToken else {
            guard text.utf8.count > Self.newFormat.utf8.count else {
                throw Self.invalid("The secret key has nothing after its prefix.")
            }
            return
        }
        switch AccessClaims(of: key).role {
        case let role? where Self.roles.contains(role): break
        case "anon":
            throw Self.invalid(
                "The key is the anon key, which every app carries; administration takes the service_role key.")
        case "authenticated":
            throw Self.invalid("The key is a person's access token; administration takes the project's secret key.")
        case .some: throw Self.invalid("The key is a token of another role than service_role.")
        case nil:
            throw Self.invalid("The key is neither a secret key (sb_secret_…) nor a token of service_role.")
        }
    }

    private static func invalid(_ message: String) -> AuthError {
        AuthError(.configuration(.invalid), message, provider: SupabaseAdmin.name)
    }
}
