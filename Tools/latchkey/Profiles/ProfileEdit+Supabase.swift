import Latchkey
import LatchkeySupabase

extension Option {
    static let trustIssuer = value(
        "trust-issuer", "URL", .url,
        "Supabase: takes over sessions whose tokens name this issuer, exactly so, beside the project's own, such as that of"
            + " a custom domain",
        repeats: true)
}

/// What only a profile of a Supabase project has.
extension ProfileEdit {
    /// Gives a project's profile another key. Sessions are not bound to keys, so they stay signed in.
    static func applyKey(_ arguments: Arguments, to profile: inout Profile) throws {
        guard let key = arguments[.key] else { return }
        try demandProject(profile)
        profile.clientID = key
        try SupabaseProvider.supabase(
            projectURL: profile.issuer, publishableKey: key, named: Composition.supabase
        ).checkConfiguration()
    }

    /// Returns the issuers in `--trust-issuer`, as they are written: tokens are compared with them to the letter.
    static func issuers(_ arguments: Arguments, for profile: Profile) throws -> [String] {
        try demandProject(profile)
        let issuers = arguments.all(.trustIssuer)
        guard issuers.allSatisfy(SupabaseProvider.mayBeIssuer) else {
            throw UsageError("usage.trustedIssuer", command: arguments.command)
        }
        return issuers
    }

    private static func demandProject(_ profile: Profile) throws {
        guard profile.service != .supabase else { return }
        try profile.checkKnown()
        throw ToolError(.configuration(.unsupported), "error.notSupabase", ["profile": profile.name])
    }
}
