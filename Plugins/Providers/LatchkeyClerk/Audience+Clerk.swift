public import Latchkey

extension Audience {
    private static let templates = "template:"
    private static let organizations = "organization:"

    /// The audience of session tokens from the JWT template with this name.
    public static func template(_ name: String) -> Audience { Audience(templates + name) }

    /// The audience of session tokens for this organization, by its id, `org_…`. An empty id stands
    /// for the person alone.
    public static func organization(_ id: String) -> Audience { Audience(organizations + id) }

    /// The name of the template, if the audience is one.
    var clerkTemplate: String? { rest(Self.templates) }

    /// The id of the organization, if the audience is one.
    var clerkOrganization: String? { rest(Self.organizations) }

    private func rest(_ prefix: String) -> String? {
        name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : nil
    }
}
