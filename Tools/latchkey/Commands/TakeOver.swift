import Latchkey
import LatchkeyClerk
import LatchkeySupabase

/// Takes over a session that another program had, from standard input.
enum TakeOver {
    private static let limit = 1 << 20

    /// Signs in with what standard input holds: for OAuth a refresh token, for Supabase the stored session, for Clerk
    /// the token of the device.
    ///
    /// - Returns: The account.
    static func signIn(_ workplace: Workplace) async throws -> AccountID {
        let bytes = try input(workplace.invocation)
        let provider = Composition.provider(of: workplace.profile)
        if workplace.profile.service == .supabase {
            let stored = try SupabaseImport(bytes)
            do throws(AuthError) {
                return try await workplace.waiting("progress.asking") { client throws(AuthError) in
                    try await client.adopt(stored, for: provider)
                }.account
            } catch { throw otherIssuer(error, stored.issuer, workplace.invocation) }
        }
        let token = Secret(bytes)
        let method: SignInMethod = workplace.profile.service == .clerk ? .clerkDeviceToken(token) : .refreshToken(token)
        return try await workplace.waiting("progress.asking") { client throws(AuthError) in
            try await client.signIn(with: provider, method)
        }.account
    }

    /// Says which issuer the session is of, and how it is taken over if that is the project's too.
    private static func otherIssuer(_ error: AuthError, _ issuer: String?, _ invocation: Invocation) -> any Error {
        guard error.code == .untrusted(.issuer), let issuer else { return error }
        let hint =
            SupabaseProvider.mayBeIssuer(issuer)
            ? ToolText("hint.trustIssuer", ["command": invocation.again(.trustIssuer, issuer)])
            : ToolText("hint.otherProject")
        return ToolError(error.code, "error.otherIssuer", ["issuer": issuer], provider: error.provider, hint: hint)
    }

    private static func input(_ invocation: Invocation) throws -> [UInt8] {
        // A person who types it would see it on the screen.
        guard !invocation.console.isTerminal(.input) else {
            throw UsageError(
                "usage.tokenTyped",
                hint: ToolText("hint.tokenPiped", ["command": invocation.shownLine("login --with-token")]))
        }
        guard let bytes = try invocation.console.readAll(limit) else {
            throw UsageError("usage.inputLarge", command: .login)
        }
        let blanks: Set<UInt8> = [0x09, 0x0A, 0x0D, 0x20]
        let text = PipedText.withoutMark(bytes)
        let whole = Array(text.drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed())
        guard !whole.isEmpty else { throw UsageError("usage.inputEmpty", command: .login) }
        guard PipedText.isText(whole) else {
            throw UsageError("usage.inputEncoding", hint: ToolText("hint.inputEncoding"))
        }
        return whole
    }
}
