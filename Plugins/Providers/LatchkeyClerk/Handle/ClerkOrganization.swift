/// An organization.
public struct ClerkOrganization: Hashable, Sendable, Identifiable {
    /// The organization's id, `org_…`.
    public let id: String
    /// The name.
    public let name: String
    /// The name in addresses; `nil` if it has none.
    public let slug: String?
}

/// A member of an organization.
public struct ClerkMember: Hashable, Sendable, Identifiable {
    /// The person's id, `user_…`.
    public let id: String
    /// The address or user name that the service shows; `nil` if it shows none.
    public let address: String?
    /// The person's name; `nil` for none.
    public let name: String?
    /// The role, such as `org:admin`.
    public let role: String
}

/// A role that members of an organization can have.
public struct ClerkRole: Hashable, Sendable, Identifiable {
    /// The role's key, such as `org:admin`.
    public let id: String
    /// The name that people see.
    public let name: String
}

/// An invitation that an organization has sent.
public struct ClerkSentInvitation: Hashable, Sendable, Identifiable {
    /// The invitation's id, for ``ClerkHandle/revokeInvitation(_:of:)``.
    public let id: String
    /// The address that was invited.
    public let address: String
    /// The role that the person will have.
    public let role: String
    /// `pending`, `accepted`, `revoked` or `expired`.
    public let status: String
}

/// A domain of an organization.
public struct ClerkDomain: Hashable, Sendable, Identifiable {
    /// The domain's id.
    public let id: String
    /// The domain, such as `example.com`.
    public let name: String
    /// Whether the organization has proven that it is its own.
    public let isVerified: Bool
    /// How people of the domain get in: `manual_invitation`, `automatic_invitation` or `automatic_suggestion`; `nil` if
    /// the service does not say.
    public let enrollment: String?
}

/// An organization that the service suggests to a person.
public struct ClerkSuggestion: Hashable, Sendable, Identifiable {
    /// The suggestion's id, for ``ClerkHandle/acceptSuggestion(_:)``.
    public let id: String
    /// The organization's id, `org_…`.
    public let organization: String
    /// The organization's name.
    public let name: String
    /// `pending`, or `accepted` while the organization's administrators have not decided.
    public let status: String
}
