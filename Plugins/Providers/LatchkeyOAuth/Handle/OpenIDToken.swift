public import FoundationEssentials
public import Latchkey

/// An ID token, as the service signed it.
public struct OpenIDToken: Sendable {
    /// The token, in three parts with dots between them.
    public let value: Secret
    /// `exp`: when it ends, by the service's clock.
    public let expiresAt: Date
    /// The same instant by this machine's clock, for a program here that compares it with that.
    public let endsAt: Date
}

extension OpenIDToken: CustomStringConvertible, CustomReflectable {
    /// A fixed text without content.
    public var description: String { "OpenIDToken(<redacted>)" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
