import LatchkeyJSON

/// An organization, and what is open in it.
struct ClerkOrganization: Sendable {
    var id: String
    var name: String
    var slug: String
    var image: String?
    var publicMetadata: JSON = .object([:])
    var privateMetadata: JSON = .object([:])
    var createdBy: String?
    /// Invitations by ID.
    var invitations: [String: ClerkInvitation] = [:]
    /// Domains by ID.
    var domains: [String: ClerkDomain] = [:]
    /// Requests to become a member by ID, each with the person.
    var requests: [String: String] = [:]
    var createdAt = 0.0
    var updatedAt = 0.0

    /// Creates one that a setting names, `org_engines`.
    init(id: String) {
        let word = String(id.hasPrefix("org_") ? id.dropFirst(4) : id[...])
        (self.id, name, slug) = (id, "The \(word)", word)
    }
}

/// An invitation to an organization by mail.
struct ClerkInvitation: Sendable {
    var email: String
    var role: String
    var status = "pending"
    var createdAt: Double
    var updatedAt: Double
}

/// A mail domain of an organization.
struct ClerkDomain: Sendable {
    var name: String
    var mode: String
    /// The address that proves it.
    var address: String?
    var code: ClerkCode?
    var isVerified = false
    var createdAt: Double
    var updatedAt: Double
}

/// Organizations in JSON.
extension ClerkState {
    func members(of organization: String) -> [ClerkPerson] {
        people.values.filter { $0.organizations[organization] != nil }.sorted { $0.id < $1.id }
    }

    func object(_ organization: ClerkOrganization) -> JSON {
        let open = organization.invitations.values.count { $0.status == "pending" }
        return [
            "object": "organization", "id": .string(organization.id), "name": .string(organization.name),
            "slug": .string(organization.slug), "image_url": .string(imageURL(organization.image, organization.id)),
            "logo_url": .string(imageURL(organization.image, organization.id)),
            "has_image": .bool(organization.image != nil), "public_metadata": organization.publicMetadata,
            "members_count": .integer(Int64(members(of: organization.id).count)),
            "pending_invitations_count": .integer(Int64(open)), "admin_delete_enabled": true,
            "max_allowed_memberships": .integer(Int64(Self.largestOrganization)), "self_serve_sso_enabled": false,
            "exclusive_membership": false, "created_by": text(organization.createdBy),
            "created_at": time(organization.createdAt), "updated_at": time(organization.updatedAt),
        ]
    }

    /// Returns what is shown to people who are no members.
    func publicData(_ organization: ClerkOrganization) -> JSON {
        [
            "id": .string(organization.id), "name": .string(organization.name), "slug": .string(organization.slug),
            "has_image": .bool(organization.image != nil),
            "image_url": .string(imageURL(organization.image, organization.id)),
        ]
    }

    func membership(_ id: String, _ person: ClerkPerson) -> JSON {
        let role = person.organizations[id] ?? ""
        let organization = organizations[id] ?? ClerkOrganization(id: id)
        return [
            "object": "organization_membership", "id": .string("orgmem_\(id)_\(person.id)"), "role": .string(role),
            "role_name": .string(ClerkRole.name(of: role)),
            "permissions": .array(ClerkRole.permissions(of: role).map(JSON.string)),
            "public_metadata": .object([:]), "organization": object(organization),
            "public_user_data": publicData(person), "created_at": time(person.createdAt),
            "updated_at": time(person.updatedAt),
        ]
    }
}

/// The roles that every instance has.
enum ClerkRole {
    static let all = ["org:admin", "org:member"]

    static func name(of role: String) -> String {
        let word = role.split(separator: ":").last.map(String.init) ?? role
        return word.prefix(1).uppercased() + word.dropFirst()
    }

    private static let manages = [
        "org:sys_profile:manage", "org:sys_profile:delete", "org:sys_memberships:manage", "org:sys_domains:manage",
    ]
    private static let reads = ["org:sys_memberships:read", "org:sys_domains:read", "org:dashboard:read"]

    static func permissions(of role: String) -> [String] { role == "org:admin" ? manages + reads : reads }
}
