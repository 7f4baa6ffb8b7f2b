import Latchkey
import LatchkeyDevServer
import Testing

@testable import LatchkeyClerk

@Suite("Organizations at Clerk") struct OrganizationTests {
    private let scene: Scene

    init() throws { scene = try Scene() }

    private func handle(_ request: SignInRequest) async throws -> ClerkHandle {
        let auth = try AuthClient.Builder().provider(scene.provider).store(.memory).transport(scene.transport).build()
        guard case .signIn(let method) = request else { throw Missing() }
        _ = try await auth.signIn(with: "clerk", method, asking: WithApp())
        return try auth.clerk()
    }

    /// Grace, who has an app.
    private struct WithApp: ChallengePresenter {
        func answer(_ challenge: Challenge) async throws -> Answer {
            if case .choose(let options) = challenge.ask { return .choice(options[0].id) }
            return .code(Scene.appCode)
        }
    }

    private func code(_ work: () async throws -> Void) async -> AuthError.Code? {
        do { try await work() } catch { return (error as? AuthError)?.code }
        return nil
    }

    @Test("one is made, renamed, chosen for tokens, and deleted by its administrator")
    func life() async throws {
        let ada = try await handle(Scene.ofAda)
        let made = try await ada.createOrganization("Night School", slug: "night")
        #expect(made.name == "Night School" && made.id.hasPrefix("org_"))
        let renamed = try await ada.updateOrganization(made.id, name: "Day School")
        #expect(renamed.id == made.id && renamed.name == "Day School")
        #expect(try await ada.organizations().contains { $0.id == made.id && $0.role == "org:admin" })
        try await ada.selectOrganization(made.id)
        #expect(try await ada.roles(in: made.id).contains { $0.id == "org:admin" })
        try await ada.deleteOrganization(made.id)
        #expect(try await !ada.organizations().contains { $0.id == made.id })
        #expect(await code { try await ada.deleteOrganization(made.id) } != nil)
    }

    @Test("somebody is invited, joins, gets another role, and leaves or is taken out")
    func members() async throws {
        let (ada, grace) = (try await handle(Scene.ofAda), try await handle(Scene.ofGrace))
        let made = try await ada.createOrganization("Night School")
        let sent = try await ada.invite(Scene.grace, to: made.id)
        #expect(sent.address == Scene.grace && sent.status == "pending")
        #expect(try await ada.sentInvitations(of: made.id).map(\.id) == [sent.id])
        // Grace is no member yet.
        #expect(await code { _ = try await grace.updateOrganization(made.id, name: "Mine") } != nil)
        let open = try #require(try await grace.invitations().first { $0.organization == made.id })
        try await grace.acceptInvitation(open.id)
        #expect(try await ada.sentInvitations(of: made.id).isEmpty)
        let members = try await ada.members(of: made.id)
        #expect(members.count == 2 && members.contains { $0.id == "user_grace" && $0.role == "org:member" })
        #expect(await code { try await grace.removeMember("user_ada", from: made.id) } != nil)
        try await ada.setRole("org:admin", of: "user_grace", in: made.id)
        #expect(try await ada.members(of: made.id).contains { $0.id == "user_grace" && $0.role == "org:admin" })
        try await grace.leaveOrganization(made.id)
        #expect(try await ada.members(of: made.id).map(\.id) == ["user_ada"])
    }

    @Test("an invitation is taken back, and is worth nothing then")
    func revoked() async throws {
        let (ada, grace) = (try await handle(Scene.ofAda), try await handle(Scene.ofGrace))
        let made = try await ada.createOrganization("Night School")
        let sent = try await ada.invite(Scene.grace, to: made.id)
        try await ada.revokeInvitation(sent.id, of: made.id)
        #expect(try await ada.sentInvitations(of: made.id).isEmpty)
        #expect(await code { try await grace.acceptInvitation(sent.id) } != nil)
        #expect(try await ada.members(of: made.id).count == 1)
    }

    @Test("a domain is added, listed and taken away; suggestions are a list")
    func domains() async throws {
        let ada = try await handle(Scene.ofAda)
        let made = try await ada.createOrganization("Night School")
        let domain = try await ada.addDomain("school.example.test", to: made.id)
        #expect(domain.name == "school.example.test" && !domain.isVerified)
        #expect(try await ada.domains(of: made.id).map(\.id) == [domain.id])
        try await ada.removeDomain(domain.id, from: made.id)
        #expect(try await ada.domains(of: made.id).isEmpty)
        #expect(try await ada.suggestions().allSatisfy { !$0.id.isEmpty })
    }

    @Test(
        "an id from outside that is none reaches no other path, and nothing is sent",
        arguments: ["", "../me", "a/b", "é"])
    func ids(_ id: String) async throws {
        let ada = try await handle(Scene.ofAda)
        let before = scene.transport.requests.count
        #expect(await code { try await ada.deleteOrganization(id) } == .configuration(.invalid))
        #expect(await code { _ = try await ada.members(of: id) } == .configuration(.invalid))
        #expect(await code { try await ada.setRole("org:admin", of: id, in: "org_a") } == .configuration(.invalid))
        #expect(await code { try await ada.revokeInvitation(id, of: "org_a") } == .configuration(.invalid))
        #expect(scene.transport.requests.count == before)
    }
}
