import Latchkey

/// What a credential helper answers to git's `get`, line by line
/// ([git-credential(1)](https://git-scm.com/docs/git-credential#IOFMT)).
enum GitAnswer {
    /// Git stops here, and asks neither another helper nor the person: the tool has said why there is no credential, and
    /// the host takes no name and password.
    static let quit = "quit=1"

    /// Returns the lines with `token`, which ends at `end`, in seconds since 1970; `nil` if the service does not say.
    ///
    /// - Parameter user: The name beside a token that is sent as a password.
    static func lines(
        _ token: AccessToken, until end: Int64?, to request: GitRequest, as manner: GitRequest.Manner, user: String
    ) -> [String] {
        let secret = token.value.revealText()
        // A capability comes before what needs it. Other helpers do not keep what is ephemeral.
        var lines = request.takesPrepared ? ["capability[]=authtype"] : []
        switch manner {
        case .bearer: lines += ["authtype=Bearer", "credential=\(secret)"]
        case .basic: lines += ["username=\(request.username ?? user)", "password=\(secret)"]
        }
        if request.takesPrepared { lines.append("ephemeral=1") }
        if let end { lines.append("password_expiry_utc=\(end)") }
        return lines
    }
}
