/// Names one configured provider of a client: `supabase`, `oauth`, or a name that the app chose.
public struct ProviderID: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name: 1 to 64 of `A-Z a-z 0-9 . _ -`. `build()` checks it.
    public let name: String

    /// Wraps a name.
    public init(_ name: String) { self.name = name }

    /// Wraps a literal name.
    public init(stringLiteral name: String) { self.name = name }

    /// The name.
    public var description: String { name }
}

/// Identifies one account of one service: provider, authority and subject.
///
/// Not secret, but personal: a subject may be an email address.
public struct AccountID: Hashable, Sendable, CustomStringConvertible {
    /// The parts in one string. It is stable across launches and usable as a key.
    public let value: String
    /// The hash of ``value``'s bytes, computed once, because accounts are looked up far more often than they are created.
    /// Two subjects that only look the same are two people (OpenID Connect Core, section 2: `sub` is compared byte by byte).
    private let hash: Int

    /// Restores an ID from an earlier ``value``.
    public init(_ value: String) {
        self.value = value
        var hasher = Hasher()
        for byte in value.utf8 { hasher.combine(byte) }
        hash = hasher.finalize()
    }

    /// Creates the ID of the account `subject` at `binding`'s service.
    ///
    /// Provider names and authorities contain no space, so the three parts cannot be confused.
    public init(subject: String, of binding: ProviderBinding) {
        self.init("\(binding.provider.name) \(binding.authority) \(subject)")
    }

    /// Creates the ID of the account of a sign-in at `binding`'s service that names no person. There is one such account
    /// for each service, so that a sign-in takes the place of the one before.
    public init(unnamedAt binding: ProviderBinding) { self.init(subject: Self.unnamed, of: binding) }

    /// Whether the sign-in named no person, so that the ID is no name to show.
    public var isUnnamed: Bool { value.hasSuffix(" \(Self.unnamed)") }

    private static let unnamed = "(unnamed)"

    /// Returns whether both identify the same account.
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
    /// The audience as the service names it; empty for the default.
    public let name: String

    /// Wraps a name.
    @inlinable public init(_ name: String) { self.name = name }

    /// Wraps a literal name.
    public init(stringLiteral name: String) { self.name = name }

    /// The audience that the service uses if you name none.
    @inlinable public static var standard: Audience { Audience("") }

    /// The name, or `standard`.
    public var description: String { name.isEmpty ? "standard" : name }
}

/// The configuration that a credential belongs to. It is compared before each request; if the
/// configuration has changed, nothing is sent.
public struct ProviderBinding: Hashable, Sendable {
    /// The configured provider.
    public var provider: ProviderID
    /// The issuer of the credential: an issuer or project URL, compared character by character.
    public var authority: String
    /// The client that the credential was issued to.
    public var client: String

    /// Creates a binding.
    public init(provider: ProviderID, authority: String, client: String) {
        self.provider = provider
        self.authority = authority
        self.client = client
    }
}
