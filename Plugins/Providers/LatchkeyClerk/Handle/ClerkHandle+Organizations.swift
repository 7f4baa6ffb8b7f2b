public import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// Making and administering organizations. What a person may do there is the service's to say, by their role: else a call
/// throws `refused(.denied)`.
extension ClerkHandle {
    /// Makes an organization, of which the person becomes the administrator.
    ///
    /// - Parameters:
    ///   - name: The name, at most 256 characters.
    ///   - slug: The name in addresses; `nil` for one that the service makes.
    public func createOrganization(_ name: String, slug: String? = nil) async throws(AuthError) -> ClerkOrganization {
        let form = FormParameters(of: ["name": name, "slug": slug])
        return try await call("POST", "/organizations", form) { try Self.organization(JSONField($0)) }
    }

    /// Gives an organization another name; `nil` leaves what is there.
    public func updateOrganization(
        _ id: String, name: String? = nil, slug: String? = nil
    ) async throws(AuthError) -> ClerkOrganization {
        let form = FormParameters(of: ["name": name, "slug": slug])
        return try await call("PATCH", path("/organizations", id), form) { try Self.organization(JSONField($0)) }
    }

    /// Deletes an organization for all its members.
    public func deleteOrganization(_ id: String) async throws(AuthError) {
        try await call("DELETE", path("/organizations", id)) { _ in }
    }

    /// Leaves an organization. Its last administrator cannot.
    public func leaveOrganization(_ id: String) async throws(AuthError) {
        try await call("DELETE", path("/me/organization_memberships", id)) { _ in }
    }

    /// Fetches the members of an organization.
    public func members(of organization: String) async throws(AuthError) -> [ClerkMember] {
        try await pages(path("/organizations", organization, "/memberships"), reading: Self.member)
    }

    /// Gives a member another role, such as `org:admin`.
    public func setRole(_ role: String, of member: String, in organization: String) async throws(AuthError) {
        let place = try path(path("/organizations", organization, "/memberships"), member)
        try await call("PATCH", place, FormParameters(of: ["role": role])) { _ in }
    }

    /// Takes a member out of an organization.
    public func removeMember(_ member: String, from organization: String) async throws(AuthError) {
        try await call("DELETE", path(path("/organizations", organization, "/memberships"), member)) { _ in }
    }

    /// Fetches the roles that members of an organization can have.
    public func roles(in organization: String) async throws(AuthError) -> [ClerkRole] {
        try await pages(path("/organizations", organization, "/roles")) { entry in
            entry["key"]?.string.map { ClerkRole(id: $0, name: entry["name"]?.string ?? $0) }
        }
    }

    /// Invites an address to an organization. The service sends the mail.
    public func invite(
        _ address: String, to organization: String, role: String = "org:member"
    ) async throws(AuthError) -> ClerkSentInvitation {
        let form = FormParameters(of: ["email_address": address, "role": role])
        return try await call("POST", path("/organizations", organization, "/invitations"), form) { answer in
            guard let sent = Self.sent(answer) else { throw JSONError(.missing, at: "$.id") }
            return sent
        }
    }

    /// Fetches the invitations of an organization that were not accepted yet.
    public func sentInvitations(of organization: String) async throws(AuthError) -> [ClerkSentInvitation] {
        try await pages(path("/organizations", organization, "/invitations"), ["status": "pending"], reading: Self.sent)
    }

    /// Takes an invitation back.
    public func revokeInvitation(_ id: String, of organization: String) async throws(AuthError) {
        let place = try path(path("/organizations", organization, "/invitations"), id, "/revoke")
        try await call("POST", place, FormParameters()) { _ in }
    }

    /// Fetches the domains of an organization, whose people may join it or are suggested to.
    public func domains(of organization: String) async throws(AuthError) -> [ClerkDomain] {
        try await pages(path("/organizations", organization, "/domains"), reading: Self.domain)
    }

    /// Adds a domain to an organization.
    public func addDomain(_ name: String, to organization: String) async throws(AuthError) -> ClerkDomain {
        let form = FormParameters(of: ["name": name])
        return try await call("POST", path("/organizations", organization, "/domains"), form) { answer in
            guard let domain = Self.domain(answer) else { throw JSONError(.missing, at: "$.id") }
            return domain
        }
    }

    /// Takes a domain from an organization.
    public func removeDomain(_ id: String, from organization: String) async throws(AuthError) {
        try await call("DELETE", path(path("/organizations", organization, "/domains"), id)) { _ in }
    }

    /// Fetches the organizations that the service suggests to the person, by the domain of their address.
    public func suggestions() async throws(AuthError) -> [ClerkSuggestion] {
        try await pages("/me/organization_suggestions") { entry in
            guard let id = entry["id"]?.string, let data = entry["public_organization_data"],
                let organization = data["id"]?.string
            else { return nil }
            return ClerkSuggestion(
                id: id, organization: organization, name: data["name"]?.string ?? organization,
                status: entry["status"]?.string ?? "pending")
        }
    }

    /// Asks to join an organization that was suggested. Its administrators decide.
    public func acceptSuggestion(_ id: String) async throws(AuthError) {
        try await call("POST", path("/me/organization_suggestions", id, "/accept"), FormParameters()) { _ in }
    }
}

extension ClerkHandle {
    private static let page = "100"

    /// Fetches a list page by page, but not forever if the service always has more.
    func pages<Entry: Sendable>(
        _ path: String, _ filter: KeyValuePairs<String, String?> = [:],
        reading read: @escaping @Sendable (JSON) -> Entry?
    ) async throws(AuthError) -> [Entry] {
        let handle = try await ofOne()
        var found: [Entry] = []
        var seen = 0
        for _ in 0..<50 {
            var query = FormParameters(of: ["paginated": "true", "limit": Self.page, "offset": "\(seen)"])
            for (name, value) in filter { value.map { query.add(name, $0) } }
            let (page, count, total) = try await handle.call("GET", path, query: query) { answer in
                let list = answer["data"]?.array ?? answer.array ?? []
                return (list.compactMap(read), list.count, Int(answer["total_count"]?.integer ?? 0))
            }
            found += page
            seen += count
            if count == 0 || seen >= total { break }
        }
        return found
    }

    private static func organization(_ answer: JSONField) throws -> ClerkOrganization {
        let id = try answer["id"].string()
        return ClerkOrganization(
            id: id, name: answer["name"].value?.string ?? id, slug: answer["slug"].value?.string)
    }

    private static func member(_ entry: JSON) -> ClerkMember? {
        guard let data = entry["public_user_data"], let id = data["user_id"]?.string, let role = entry["role"]?.string
        else { return nil }
        let name = ["first_name", "last_name"].compactMap { data[$0]?.string }.joined(separator: " ")
        return ClerkMember(
            id: id, address: data["identifier"]?.string, name: name.isEmpty ? nil : name, role: role)
    }

    private static func sent(_ entry: JSON) -> ClerkSentInvitation? {
        guard let id = entry["id"]?.string, let address = entry["email_address"]?.string else { return nil }
        return ClerkSentInvitation(
            id: id, address: address, role: entry["role"]?.string ?? "", status: entry["status"]?.string ?? "pending")
    }

    private static func domain(_ entry: JSON) -> ClerkDomain? {
        guard let id = entry["id"]?.string, let name = entry["name"]?.string else { return nil }
        return ClerkDomain(
            id: id, name: name, isVerified: entry["verification"]?["status"] == "verified",
            enrollment: entry["enrollment_mode"]?.string)
    }
}
