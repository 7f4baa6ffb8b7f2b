public import Latchkey

extension Audience {
    private static let templates = "template:"
    private static let organizations = "organization:"

    /// A session token by the JWT template of this name.
    public static func template(_ name: String) -> Audience { Audience(templates + name) }

    /// A session token for this organization: its id, `org_…`; empty: for the person alone.
    public static func organization(_ id: String) -> Audience { Audience(organizations + id) }

    /// The template that is named.
    var clerkTemplate: String? { rest(Self.templates) }

    /// The organization that is named.
    var clerkOrganization: String? { rest(Self.organizations) }

    private func rest(_ prefix: String) -> String? {
        name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : nil
    }
}
