import Latchkey
import LatchkeyJSON

@testable import LatchkeyClerk

/// Every call of a handle, by its name. What the service answers does not matter here.
struct PeopleCall: Sendable {
    var name: String
    /// Whether the call's requests name a session. Of other calls, only the refresh after a rejection does.
    var namesSession = true
    var make: @Sendable (ClerkHandle) async throws -> Void

    init(_ name: String, namesSession: Bool = true, _ make: @escaping @Sendable (ClerkHandle) async throws -> Void) {
        (self.name, self.namesSession, self.make) = (name, namesSession, make)
    }

    private static let wrong = Secret("000000")

    /// The call that deletes the person comes last.
    static let all: [PeopleCall] = [
        PeopleCall("me") { _ = try await $0.me() },
        PeopleCall("update") { try await $0.update(firstName: "A") },
        PeopleCall("mergeMetadata") { try await $0.mergeMetadata(["a": 1]) },
        PeopleCall("changePassword") { try await $0.changePassword(from: wrong, to: Secret("long enough")) },
        PeopleCall("enrollTOTP") { _ = try await $0.enrollTOTP() },
        PeopleCall("verifyTOTP") { try await $0.verifyTOTP(wrong) },
        PeopleCall("removeTOTP") { try await $0.removeTOTP() },
        PeopleCall("makeBackupCodes") { _ = try await $0.makeBackupCodes() },
        PeopleCall("addEmail") { _ = try await $0.addEmail("new+clerk_test@example.test") },
        PeopleCall("verifyEmail") { try await $0.verifyEmail("idn_none", code: wrong) },
        PeopleCall("removeEmail") { try await $0.removeEmail("idn_none") },
        PeopleCall("addPhone") { _ = try await $0.addPhone("+12015550177") },
        PeopleCall("verifyPhone") { try await $0.verifyPhone("idn_none", code: wrong) },
        PeopleCall("removePhone") { try await $0.removePhone("idn_none") },
        PeopleCall("makePrimary") { try await $0.makePrimary(email: "idn_none") },
        PeopleCall("connectAccount") {
            _ = try await $0.connectAccount("github", redirect: "http://127.0.0.1:4711/back")
        },
        PeopleCall("setImage") { try await $0.setImage([1], type: "image/png") },
        PeopleCall("removeImage") { try await $0.removeImage() },
        PeopleCall("removeExternalAccount") { try await $0.removeExternalAccount("eac_none") },
        PeopleCall("removePassword") { try await $0.removePassword(wrong) },
        PeopleCall("environment", namesSession: false) { _ = try await $0.environment() },
        PeopleCall("joinWaitlist", namesSession: false) { try await $0.joinWaitlist("new+clerk_test@example.test") },
        PeopleCall("passkeys") { _ = try await $0.passkeys() },
        PeopleCall("addPasskey") { _ = try await $0.addPasskey() },
        PeopleCall("verifyPasskey") { try await $0.verifyPasskey("pk_none", credential: Secret("{}")) },
        PeopleCall("renamePasskey") { try await $0.renamePasskey("pk_none", to: "a") },
        PeopleCall("removePasskey") { try await $0.removePasskey("pk_none") },
        PeopleCall("sessions") { _ = try await $0.sessions() },
        PeopleCall("endSession") { try await $0.endSession("sess_none") },
        PeopleCall("organizations") { _ = try await $0.organizations() },
        PeopleCall("invitations") { _ = try await $0.invitations() },
        PeopleCall("acceptInvitation") { try await $0.acceptInvitation("orginv_none") },
        PeopleCall("touch") { try await $0.touch() },
        PeopleCall("tasks") { _ = try await $0.tasks() },
        PeopleCall("selectOrganization") { try await $0.selectOrganization(nil) },
        PeopleCall("createOrganization") { _ = try await $0.createOrganization("Engines") },
        PeopleCall("updateOrganization") { _ = try await $0.updateOrganization("org_none", name: "a") },
        PeopleCall("members") { _ = try await $0.members(of: "org_none") },
        PeopleCall("setRole") { try await $0.setRole("org:admin", of: "user_none", in: "org_none") },
        PeopleCall("removeMember") { try await $0.removeMember("user_none", from: "org_none") },
        PeopleCall("roles") { _ = try await $0.roles(in: "org_none") },
        PeopleCall("invite") { _ = try await $0.invite("a@example.test", to: "org_none") },
        PeopleCall("sentInvitations") { _ = try await $0.sentInvitations(of: "org_none") },
        PeopleCall("revokeInvitation") { try await $0.revokeInvitation("orginv_none", of: "org_none") },
        PeopleCall("domains") { _ = try await $0.domains(of: "org_none") },
        PeopleCall("addDomain") { _ = try await $0.addDomain("example.test", to: "org_none") },
        PeopleCall("removeDomain") { try await $0.removeDomain("orgdmn_none", from: "org_none") },
        PeopleCall("suggestions") { _ = try await $0.suggestions() },
        PeopleCall("acceptSuggestion") { try await $0.acceptSuggestion("sug_none") },
        PeopleCall("leaveOrganization") { try await $0.leaveOrganization("org_none") },
        PeopleCall("deleteOrganization") { try await $0.deleteOrganization("org_none") },
        PeopleCall("deleteAccount") { try await $0.deleteAccount() },
    ]
}
