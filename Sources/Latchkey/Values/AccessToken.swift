/// What opens a resource: sent with each request, gone after minutes.
public struct AccessToken: Hashable, Sendable {
    /// The token itself.
    public var value: Secret
    /// How it is sent: `Bearer` or `DPoP`. Compared without regard to case (RFC 6749, section 5.1).
    public var scheme: String
    /// Since when and how long it lasts; `nil` where the service does not say.
    public var lifetime: Lifetime?
    /// What was granted; `nil` where the service does not say.
    public var scopes: [String]?
    /// Whether the session behind it is stored. `false`: it is good, but lost if the process ends before the store
    /// works again.
    public var isDurable = true

    /// A token of its parts.
    public init(_ value: Secret, scheme: String = "Bearer", lifetime: Lifetime? = nil, scopes: [String]? = nil) {
        self.value = value
        self.scheme = scheme
        self.lifetime = lifetime
        self.scopes = scopes
    }

    /// Whether both are the same token, whatever is known about them.
    public static func == (first: AccessToken, second: AccessToken) -> Bool {
        first.value == second.value && first.scheme == second.scheme
    }

    /// Hashes what is not secret.
    public func hash(into hasher: inout Hasher) { hasher.combine(scheme) }
}
