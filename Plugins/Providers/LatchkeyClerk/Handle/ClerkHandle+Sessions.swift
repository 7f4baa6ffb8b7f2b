public import FoundationEssentials
public import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// A session of the person, on this device or on another.
public struct ClerkSession: Hashable, Sendable, Identifiable {
    /// The session's id, `sess_…`.
    public let id: String
    /// Whether this is the session that asks.
    public let isCurrent: Bool
    /// `active`, or `pending` if the person has tasks left.
    public let status: String
    /// When the session was last used.
    public let lastActiveAt: Date?
    /// The device, such as `Chrome on Linux`; `nil` if the service does not know it.
    public let device: String?
    /// The place where the session was last used, such as `Berlin, DE`; `nil` if the service does not know it.
    public let place: String?
}

/// A person's membership in an organization.
public struct ClerkMembership: Hashable, Sendable, Identifiable {
    /// The organization's id, `org_…`: for ``ClerkHandle/selectOrganization(_:)`` and
    /// `accessToken(for: .organization("org_…"))`.
    public let id: String
    /// The organization's name.
    public let name: String
    /// The organization's name in addresses.
    public let slug: String?
    /// The person's role there, such as `org:admin`.
    public let role: String
    /// The person's permissions there; empty if the service does not say.
    public let permissions: [String]
}

/// An invitation into an organization.
public struct ClerkInvitation: Hashable, Sendable, Identifiable {
    /// The invitation's id, for ``ClerkHandle/acceptInvitation(_:)``.
    public let id: String
    /// The organization's id, `org_…`.
    public let organization: String
    /// The organization's name.
    public let name: String
    /// The role that the person is invited to, such as `org:member`.
    public let role: String
}

extension ClerkHandle {
    private static let page = "100"

    /// Fetches the person's sessions on all devices.
    public func sessions() async throws(AuthError) -> [ClerkSession] {
        try await run { service, session in
            let query = FormParameters(of: ["_clerk_session_id": session.id.value])
            let own = session.id.value
            return (try await service.get("/me/sessions/active", query).array ?? []).compactMap { entry in
                guard let id = entry["id"]?.string else { return nil }
                let activity = entry["latest_activity"]
                func words(_ names: [String], _ separator: String) -> String? {
                    let found = names.compactMap { activity?[$0]?.string }.filter { !$0.isEmpty }
                    return found.isEmpty ? nil : found.joined(separator: separator)
                }
                return ClerkSession(
                    id: id, isCurrent: id == own, status: entry["status"]?.string ?? "active",
                    lastActiveAt: entry["last_active_at"]?.milliseconds,
                    device: words(["browser_name", "device_type"], " on "), place: words(["city", "country"], ", "))
            }
        }
    }

    /// Ends a session on another device. To end this one, use
    /// ``/Latchkey/AuthClient/signOut(of:scope:)``.
    public func endSession(_ id: String) async throws(AuthError) {
        try await call("POST", path("/me/sessions", id, "/revoke"), FormParameters()) { _ in }
    }

    /// Fetches the organizations that the person belongs to.
    public func organizations() async throws(AuthError) -> [ClerkMembership] {
        try await pages("/me/organization_memberships", reading: Self.membership)
    }

    /// Fetches the open invitations to organizations, at most 100.
    public func invitations() async throws(AuthError) -> [ClerkInvitation] {
        let query = FormParameters(of: ["status": "pending", "limit": Self.page])
        return try await call("GET", "/me/organization_invitations", query: query) { answer in
            (answer["data"]?.array ?? answer.array ?? []).compactMap { entry in
                guard let id = entry["id"]?.string, let data = entry["public_organization_data"],
                    let organization = data["id"]?.string
                else { return nil }
                return ClerkInvitation(
                    id: id, organization: organization, name: data["name"]?.string ?? organization,
                    role: entry["role"]?.string ?? "")
            }
        }
    }

    /// Accepts an invitation and joins the organization.
    public func acceptInvitation(_ id: String) async throws(AuthError) {
        try await call("POST", path("/me/organization_invitations", id, "/accept"), FormParameters()) { _ in }
    }

    /// Tells the service that the person is active, which postpones the end of an idle session.
    public func touch() async throws(AuthError) {
        try await run { service, session in
            let form = FormParameters(of: ["intent": "focus"])
            let answer = try await service.post(Self.path(of: session, "/touch"), form)
            Self.note(answer, &session)
        }
    }

    /// Returns the tasks that the person must finish before the session is active, in the service's
    /// words, such as `choose-organization`; empty if there are none. Until then the session's
    /// tokens say `sts: pending`.
    public func tasks() async throws(AuthError) -> [String] {
        try await run { service, session in
            let answer = try await service.get(Self.path(of: session))
            Self.note(answer, &session)
            return (answer["tasks"]?.array ?? []).compactMap { $0["key"]?.string }
        }
    }

    private static func path(of session: AuthSession, _ rest: String = "") -> String {
        "/client/sessions/\(FormEncoding.encode(session.id.value))\(rest)"
    }

    /// Stores what the service now says about the session.
    private static func note(_ answer: JSON, _ session: inout AuthSession) {
        guard answer["id"]?.string == session.id.value, var state = session.state.object else { return }
        (state["status"], state["tasks"]) = (answer["status"], answer["tasks"])
        session.state = .object(state)
    }

    private static func membership(_ entry: JSON) -> ClerkMembership? {
        guard let id = entry["organization"]?["id"]?.string, let role = entry["role"]?.string else { return nil }
        return ClerkMembership(
            id: id, name: entry["organization"]?["name"]?.string ?? id, slug: entry["organization"]?["slug"]?.string,
            role: role, permissions: (entry["permissions"]?.array ?? []).compactMap(\.string))
    }

    /// Makes an organization the one that the session's own tokens are for, or the person alone for
    /// `nil`. A new token is requested at once.
    ///
    /// - Throws: `refused` if the person does not belong to it.
    public func selectOrganization(_ id: String?) async throws(AuthError) {
        if let id { _ = try path("", id) }
        let handle = try await ofOne()
        try await handle.run { service, session in
            let form = FormParameters(of: ["active_organization_id": id ?? "", "intent": "select_org"])
            let answer = try await service.post(Self.path(of: session, "/touch"), form)
            Self.note(answer, &session)
            var state = session.state.object ?? [:]
            state["organization"] = id.map { .string($0) } ?? .null
            session.state = .object(state)
        }
        try await client.refresh(of: handle.account)
    }
}
