import Latchkey
import LatchkeyJSON

/// Removes a profile, and with `--force` the sessions that it still has.
struct ProfileRemoval {
    private let invocation: Invocation
    private let profile: Profile

    init(_ invocation: Invocation, _ profile: Profile) { (self.invocation, self.profile) = (invocation, profile) }

    /// Removes the profile.
    ///
    /// - Throws: `configuration(invalid)` without `--force` if somebody is signed in, or the service was not told of
    ///   a sign-out yet.
    func run() async throws -> ExitStatus {
        guard invocation.arguments.has(.force) else {
            let workplace = try Workplace(invocation, profile)
            guard try await workplace.accounts().isEmpty, try await workplace.client.owedRevocations() == 0 else {
                throw ToolError(
                    .configuration(.invalid), "error.stillSignedIn", ["profile": profile.name],
                    hint: ToolText("hint.removeByForce", ["profile": profile.name]))
            }
            try await workplace.endSetAside()
            try await DamagedRecords.remove(try Places(invocation, profile))
            try forget(["removed": .string(profile.name)], "profiles.removed")
            return .success
        }
        let (ended, untold) = try await end()
        try await StoreDesk.removeEverything(of: try Places(invocation, profile))
        try forget(
            [
                "removed": .string(profile.name), "signedOut": .integer(Int64(ended)),
                "untold": .integer(Int64(untold)),
            ], untold == 0 ? "profiles.removedEnded" : "profiles.removedUntold",
            ["sessions": "\(ended)", "untold": "\(untold)"])
        return .success
    }

    /// Removes a profile whose file cannot be read: nobody knows its service, or where its sessions are. So all places are
    /// emptied that may be its own.
    static func removeUnread(_ name: String, _ invocation: Invocation) async throws -> ExitStatus {
        let stand = Profile(name: name, issuer: "", clientID: "")
        try? await StoreDesk.removeRecords(of: try Places(invocation, stand, at: .keyring))
        try await StoreDesk.removeEverything(of: try Places(invocation, stand))
        try ProfileRemoval(invocation, stand).forget(["removed": .string(name)], "profiles.removedUnread")
        return .success
    }

    private func forget(_ members: [String: JSON], _ key: String, _ values: [String: String] = [:]) throws {
        try invocation.profiles().remove(profile.name)
        try invocation.show(
            .object(members), [invocation.texts(key, values.merging(["profile": profile.name]) { $1 })])
    }

    /// Signs everybody out.
    ///
    /// - Returns: How many sessions ended, and how many ends the service does not know of.
    private func end() async throws -> (ended: Int, untold: Int) {
        var (ended, untold) = (0, 0)
        do {
            // What cannot be read is removed unread; a passphrase is not asked for that.
            let workplace = try await Workplace.leaving(invocation, profile)
            for account in try await workplace.accounts() {
                let result = try await workplace.waiting("progress.signingOut") { client throws(AuthError) in
                    try await client.signOut(of: account.id)
                }
                ended += 1
                if result == .localOnly { untold += 1 }
            }
            untold += try await workplace.client.owedRevocations()
            try await workplace.endSetAside()
        } catch let error as AuthError where error.code != .cancelled {
            invocation.console.note(
                "latchkey: "
                    + Console.printable(
                        invocation.shown(
                            "profiles.unreadable", ["reason": ErrorReport(error, invocation.shown).message])))
        }
        return (ended, untold)
    }
}
