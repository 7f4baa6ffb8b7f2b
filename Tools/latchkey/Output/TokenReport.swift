import FoundationEssentials
import Latchkey
import LatchkeyJSON

/// A token's end and scopes, as `token` and `exec` tell them.
struct TokenReport {
    private let token: AccessToken
    private let clock: any AuthClock

    /// Creates the report of `token` as it is now.
    init(_ token: AccessToken, _ world: PluginContext) { (self.token, clock) = (token, world.clock) }

    /// How long the token still lasts; `nil` if the service does not say.
    var rest: Duration? {
        token.lifetime.map { lifetime in
            let now = clock.now()
            return max(.zero, lifetime.ends(boot: clock.boot, now: now, serverNow: clock.wall()) - now)
        }
    }

    /// When the token ends, RFC 3339, UTC; `nil` if the service does not say.
    var expiresAt: String? { rest.map { AccountReport.text(clock.wall().addingTimeInterval($0.inSeconds)) } }

    /// When the token ends, in whole seconds since 1970; `nil` if the service does not say.
    var endsAt: Int64? { rest.map { Int64(clock.wall().timeIntervalSince1970 + $0.inSeconds) } }

    /// The members of the JSON output that concern the end and the scopes.
    var json: [String: JSON] {
        var members: [String: JSON] = [:]
        members["scopes"] = token.scopes.map { .array($0.map { .string($0) }) }
        members["expiresInSeconds"] = rest.map { .integer($0.components.seconds) }
        members["expiresAt"] = expiresAt.map { .string($0) }
        return members
    }

    /// The variables that tell a program the end and the scopes.
    var variables: [String: Secret?] {
        [
            "LATCHKEY_ACCESS_TOKEN_EXPIRES_AT": expiresAt.map { Secret($0) },
            "LATCHKEY_ACCESS_TOKEN_SCOPES": token.scopes.map { $0.joined(separator: " ") }
                .flatMap { ForeignText.fitsVariable($0) ? Secret($0) : nil },
        ]
    }

    /// Returns why the token lasts for less than `asked`; `nil` if it does not.
    ///
    /// - Parameter isStrict: Whether a token that the service tells no end of is one that may be too short.
    func shortfall(of asked: Duration?, isStrict: Bool = false) -> ToolError? {
        guard let asked else { return nil }
        guard let rest else {
            let values = ["asked": Durations.describe(asked)]
            return isStrict ? ToolError(.configuration(.invalid), "error.tokenEndless", values) : nil
        }
        guard rest < asked else { return nil }
        let values = [
            "rest": Durations.describe(rest), "asked": Durations.describe(asked),
            "whole": Durations.describe(token.lifetime?.lasts ?? rest),
        ]
        // A token that could last long enough was not renewed, and may be later. Another one never will.
        return (token.lifetime?.lasts ?? .zero) < asked
            ? ToolError(.configuration(.invalid), "error.tokensShort", values, hint: ToolText("hint.tokensShort"))
            : ToolError(.serviceTrouble, "error.tokenShort", values, hint: ToolText("hint.later"))
    }
}
