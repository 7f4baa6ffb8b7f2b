import LatchkeyDevServer

/// A command of the tool, and how it may end in each state of a profile.
struct MatrixCommand {
    let words: [String]
    private let ends: [MatrixProfile.State: Set<Int32>]

    /// A command that needs the session.
    private init(session words: [String]) {
        self.words = words
        ends = [.signedIn: [0], .ended: [3], .locked: [5], .signedOut: [3]]
    }

    /// A command that reads what is kept of the accounts.
    private init(reading words: [String]) {
        self.words = words
        ends = [.signedIn: [0], .ended: [0], .locked: [5], .signedOut: [0]]
    }

    /// A command that works in every state.
    private init(always words: [String]) {
        self.words = words
        ends = Dictionary(uniqueKeysWithValues: MatrixProfile.State.allCases.map { ($0, [0]) })
    }

    private init(_ words: [String], _ ends: [MatrixProfile.State: Set<Int32>]) {
        (self.words, self.ends) = (words, ends)
    }

    /// Whether the command may end with `status` in `state`.
    func mayEnd(with status: Int32, in state: MatrixProfile.State) -> Bool { ends[state]?.contains(status) ?? false }

    /// Every command that asks nobody anything, in an order in which none disturbs the next.
    static func all(_ profile: MatrixProfile) -> [MatrixCommand] {
        let url = profile.server.issuer + "/resource"
        let stays: [MatrixProfile.State: Set<Int32>] = [.signedIn: [8], .ended: [0, 8], .locked: [5], .signedOut: [0]]
        return [
            MatrixCommand(session: ["status"]), MatrixCommand(session: ["status", "--json"]),
            MatrixCommand(session: ["whoami"]), MatrixCommand(session: ["token"]),
            MatrixCommand(session: ["exec", "--", "true"]), MatrixCommand(session: ["refresh"]),
            MatrixCommand(
                ["request", "GET", url, "--allow-origin", profile.server.issuer],
                // Tokens of other services open nothing there.
                [.signedIn: profile.kind.isOAuth ? [0] : [0, 6], .ended: [3], .locked: [5], .signedOut: [3]]),
            MatrixCommand(reading: ["accounts"]), MatrixCommand(reading: ["accounts", "--names"]),
            MatrixCommand(reading: ["events"]),
            MatrixCommand(
                ["switch", profile.account], [.signedIn: [0], .ended: [0, 3], .locked: [5], .signedOut: [3]]),
            MatrixCommand(["doctor"], [.signedIn: [0], .ended: [0], .locked: [5], .signedOut: [0]]),
            MatrixCommand(["doctor", "--offline"], [.signedIn: [0], .ended: [0], .locked: [5], .signedOut: [0]]),
            MatrixCommand(always: ["answer"]), MatrixCommand(always: ["log"]),
            MatrixCommand(always: ["log", "verify"]),
            MatrixCommand(always: ["log", "export"]), MatrixCommand(always: ["profiles"]),
            MatrixCommand(always: ["profiles", "show", "default"]),
            MatrixCommand(always: ["profiles", "edit", "default", "--product", "Notes/1.2"]),
            MatrixCommand(always: ["profiles", "use", "default"]), MatrixCommand(always: ["store", "status"]),
            MatrixCommand(reading: ["store", "verify"]),
        ] + ofSupabase(profile) + [
            MatrixCommand(always: ["lock"]), MatrixCommand(["profiles", "remove", "default"], stays),
        ]
    }

    /// What is only there for a Supabase login, and is refused on any other.
    private static func ofSupabase(_ profile: MatrixProfile) -> [MatrixCommand] {
        let lines = [
            ["user"], ["claims"], ["metadata"], ["metadata", "seen=yes"], ["factors"], ["identities"], ["passkeys"],
        ]
        // Nothing waits to be confirmed, and no identity provider gave a token.
        let empty = [["resend"], ["confirm"], ["provider-token"]]
        guard profile.kind == .supabase else {
            let ends = Dictionary(uniqueKeysWithValues: MatrixProfile.State.allCases.map { ($0, Set<Int32>([8])) })
            return (lines + empty).map { MatrixCommand(["supabase"] + $0, ends) }
        }
        return lines.map { MatrixCommand(session: ["supabase"] + $0) }
            + empty.map {
                MatrixCommand(["supabase"] + $0, [.signedIn: [6], .ended: [3], .locked: [5], .signedOut: [3]])
            }
    }
}
