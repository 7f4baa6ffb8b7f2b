import Latchkey

extension ClientSecrets {
    /// Returns the secret for `profile` if it can be had, for a command that only ends sessions. They end on this machine
    /// without it, so what is missing is told and is no error.
    ///
    /// - Throws: `CancellationError`, or `cancelled` if the person stops the command.
    static func ifThere(for profile: Profile, in invocation: Invocation) async throws -> Secret? {
        do {
            return try await obtain(for: profile, in: invocation)
        } catch let error as CancellationError {
            throw error
        } catch let error as AuthError where error.code == .cancelled {
            throw error
        } catch {
            let reason = ErrorReport(of: error, profile: profile.name, invocation.shown).message
            invocation.console.note(
                "latchkey: " + Console.printable(invocation.shown("secret.missing", ["reason": reason])))
            return nil
        }
    }
}
