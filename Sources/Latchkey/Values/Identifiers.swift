/// Names one configured provider within a client: `supabase`, `oauth`, or a name the app gave.
public struct ProviderID: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name: 1 to 64 of `A-Z a-z 0-9 . _ -`, checked by `build()`.
    public let name: String

    /// Wraps a name.
    public init(_ name: String) { self.name = name }

    /// Wraps a literal name.
    public init(stringLiteral name: String) { self.name = name }

    /// The name.
    public var description: String { name }
}

/// Names one account of one service: provider, authority and subject.
///
/// Not secret, but personal: a subject may be an address.
public struct AccountID: Hashable, Sendable, CustomStringConvertible {
    /// The parts in one string: stable across launches, usable as a key.
    public let value: String
    /// Of ``value``, made once: an account is looked up far more often than it is named.
    private let hash: Int

    /// Takes back a value that an earlier ``value`` gave.
    public init(_ value: String) {
        self.value = value
        hash = value.hashValue
    }

    /// Names the account `subject` of `binding`'s service.
    ///
    /// Provider names and authorities hold no space, so the three parts never run into one another.
    public init(subject: String, of binding: ProviderBinding) {
        self.init("\(binding.provider.name) \(binding.authority) \(subject)")
    }

    /// Whether both name the same account.
    public static func == (first: AccountID, second: AccountID) -> Bool {
        first.hash == second.hash && first.value == second.value
    }

    /// Hashes the value.
    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// The value.
    public var description: String { value }
}

/// What a token is for: the service's default, a resource (RFC 8707), a template, an organization.
public struct Audience: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name in the service's own terms; empty for the default.
    public let name: String

    /// Wraps a name.
    @inlinable public init(_ name: String) { self.name = name }

    /// Wraps a literal name.
    public init(stringLiteral name: String) { self.name = name }

    /// What the service gives when nothing is named.
    @inlinable public static var standard: Audience { Audience("") }

    /// The name, or `standard`.
    public var description: String { name.isEmpty ? "standard" : name }
}

/// What a credential may be used with. Compared before anything is sent: with a changed configuration nothing is.
public struct ProviderBinding: Hashable, Sendable {
    /// The configured provider.
    public var provider: ProviderID
    /// Who issued the credential: an issuer or project URL, compared as it is, character by character.
    public var authority: String
    /// Which client it was issued to.
    public var client: String

    /// A binding of its three parts.
    public init(provider: ProviderID, authority: String, client: String) {
        self.provider = provider
        self.authority = authority
        self.client = client
    }
}
