import FoundationEssentials
import LatchkeyJSON

/// A token that gives access to a resource. It is sent with each request and usually lasts minutes.
public struct AccessToken: Hashable, Sendable {
    /// Everything in one object, so that handing out a token retains one reference instead of several.
    private final class Content: Sendable {
        let value: Secret
        let scheme: String
        let lifetime: Lifetime?
        let scopes: [String]?
        let isDurable: Bool
        let isRefused: Bool
        let refusedAt: [String]
        let unknown: [String: JSON]

        init(
            _ value: Secret, _ scheme: String, _ lifetime: Lifetime?, _ scopes: [String]?, isDurable: Bool,
            isRefused: Bool, refusedAt: [String], unknown: [String: JSON]
        ) {
            self.value = value
            self.scheme = scheme
            self.lifetime = lifetime
            self.scopes = scopes.flatMap { $0.allSatisfy(AccessToken.isScope) ? $0 : nil }
            self.isDurable = isDurable
            self.isRefused = isRefused
            self.refusedAt = refusedAt
            self.unknown = unknown
        }
    }

    private var content: Content

    /// The token itself.
    public var value: Secret {
        get { content.value }
        set { content = changed(value: newValue) }
    }

    /// How to send it: `Bearer` or `DPoP`. Compared without regard to case (RFC 6749, section 5.1).
    public var scheme: String {
        get { content.scheme }
        set { content = changed(scheme: newValue) }
    }

    /// When it was received and how long it lasts; `nil` if the service does not say.
    public var lifetime: Lifetime? {
        get { content.lifetime }
        set { content = changed(lifetime: .some(newValue)) }
    }

    /// The granted scopes; `nil` if the service does not say, or says what is no scope (``isScope(_:)``).
    public var scopes: [String]? {
        get { content.scopes }
        set { content = changed(scopes: .some(newValue)) }
    }

    /// Returns whether a text can be a scope by
    /// [RFC 6749, section 3.3](https://www.rfc-editor.org/rfc/rfc6749#section-3.3): visible ASCII without quotes and
    /// backslashes. Programs hand scopes to scripts and terminals, so nothing else is taken for one.
    public static func isScope(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }

    /// Whether the session behind it is stored. If `false`, the token is good, but is lost if the
    /// process ends before the store works again.
    public var isDurable: Bool {
        get { content.isDurable }
        set { content = changed(isDurable: newValue) }
    }

    /// Whether a resource refused it (``AuthClient/discard(_:)``). Then no process hands it out any more.
    var isRefused: Bool {
        get { content.isRefused }
        set { content = changed(isRefused: newValue) }
    }

    /// The origins that refuse it although it came because they had refused another one, at most ``mostPlaces``: for them
    /// no newer one is asked for.
    var refusedAt: [String] { content.refusedAt }

    /// How many origins are kept. Forgetting one costs a refresh.
    private static let mostPlaces = 16

    /// Whether `origin` refuses it although it came because that had refused another one.
    func isRefused(at origin: String) -> Bool { content.refusedAt.contains(origin) }

    /// Notes that `origin` refuses it, or takes it after all.
    mutating func refuse(_ isRefused: Bool, at origin: String) {
        let others = content.refusedAt.filter { $0 != origin }
        content = changed(refusedAt: isRefused ? others.suffix(Self.mostPlaces - 1) + [origin] : others)
    }

    /// Creates a token.
    public init(_ value: Secret, scheme: String = "Bearer", lifetime: Lifetime? = nil, scopes: [String]? = nil) {
        content = Content(
            value, scheme, lifetime, scopes, isDurable: true, isRefused: false, refusedAt: [], unknown: [:])
    }

    /// Creates a token from its stored form.
    init(
        _ value: Secret, scheme: String, lifetime: Lifetime?, scopes: [String]?, isRefused: Bool, refusedAt: [String],
        unknown: [String: JSON]
    ) {
        content = Content(
            value, scheme, lifetime, scopes, isDurable: true, isRefused: isRefused,
            refusedAt: refusedAt.suffix(Self.mostPlaces), unknown: unknown)
    }

    private func changed(
        value: Secret? = nil, scheme: String? = nil, lifetime: Lifetime?? = nil, scopes: [String]?? = nil,
        isDurable: Bool? = nil, isRefused: Bool? = nil, refusedAt: [String]? = nil
    ) -> Content {
        Content(
            value ?? self.value, scheme ?? self.scheme, lifetime ?? self.lifetime, scopes ?? self.scopes,
            isDurable: isDurable ?? self.isDurable, isRefused: isRefused ?? self.isRefused,
            refusedAt: refusedAt ?? self.refusedAt, unknown: unknown)
    }

    /// The same token, as it takes the place of `former`. A service may answer a refresh with the token that was
    /// refused; that one stays refused.
    func replacing(_ former: AccessToken) -> AccessToken {
        guard former.isRefused || !former.refusedAt.isEmpty, former == self else { return self }
        var token = self
        token.content = token.changed(isRefused: former.isRefused, refusedAt: former.refusedAt)
        return token
    }

    /// Members of the stored record that this version does not know. They are written back unchanged.
    var unknown: [String: JSON] { content.unknown }

    /// Returns whether both are the same token; only the value and the scheme count.
    public static func == (first: AccessToken, second: AccessToken) -> Bool {
        first.value == second.value && first.scheme == second.scheme
    }

    /// Hashes the part that is not secret.
    public func hash(into hasher: inout Hasher) { hasher.combine(scheme) }
}

extension AccessToken: CustomStringConvertible, CustomReflectable {
    /// `AccessToken(<redacted>, until 2026-01-02T03:04:05Z)`: the end by the service's clock, if known.
    public var description: String {
        guard let lifetime else { return "AccessToken(<redacted>)" }
        let end = lifetime.wall.addingTimeInterval(lifetime.lasts.inSeconds)
        return "AccessToken(<redacted>, until \(end.formatted(Date.ISO8601FormatStyle())))"
    }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AccessToken {
    /// What tells the token from others within this process, and says nothing of it.
    var fingerprint: Int {
        var hasher = Hasher()
        hasher.combine(value.reveal())
        return hasher.finalize()
    }
}
