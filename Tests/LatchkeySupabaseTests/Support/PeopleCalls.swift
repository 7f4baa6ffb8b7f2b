import Latchkey
import LatchkeyJSON

@testable import LatchkeySupabase

/// Every call of a handle, by its name. What the service answers does not matter here.
struct PeopleCall: Sendable {
    var name: String
    /// Makes the call, and returns what shows whose session it had if it sends nothing.
    var make: @Sendable (SupabaseHandle) async throws -> Secret?

    init(_ name: String, _ make: @escaping @Sendable (SupabaseHandle) async throws -> Void) {
        self.name = name
        self.make = { handle in
            try await make(handle)
            return nil
        }
    }

    private init(showing name: String, _ make: @escaping @Sendable (SupabaseHandle) async throws -> Secret?) {
        (self.name, self.make) = (name, make)
    }

    private static let code = Secret("000000")

    static let all: [PeopleCall] = [
        PeopleCall("user") { try await $0.user() },
        PeopleCall("validate") { try await $0.validate() },
        PeopleCall("update") { try await $0.update(SupabaseUserUpdate()) },
        PeopleCall("reauthenticate") { try await $0.reauthenticate() },
        PeopleCall("confirm") { _ = try await $0.confirm("new@example.test", code: code) },
        PeopleCall("resend") { try await $0.resend(.signUp) },
        PeopleCall("signOutOthers") { try await $0.signOutOthers() },
        PeopleCall(showing: "providerTokens") { try await $0.providerTokens().access },
        PeopleCall("claims") { _ = try await $0.claims() },
        PeopleCall("factors") { _ = try await $0.factors() },
        PeopleCall("enrollTOTP") { _ = try await $0.enrollTOTP() },
        PeopleCall("enrollPhone") { _ = try await $0.enrollPhone("+15550100001") },
        PeopleCall("challenge") { _ = try await $0.challenge("f1") },
        PeopleCall("verify") { try await $0.verify(SupabaseFactorChallenge(id: "c1", factorID: "f1"), code: code) },
        PeopleCall("verify") { try await $0.verify(factor: "f1", code: code) },
        PeopleCall("unenroll") { try await $0.unenroll("f1") },
        PeopleCall("identities") { _ = try await $0.identities() },
        PeopleCall("link") { _ = try await $0.link(.browser(connection: "github")) },
        PeopleCall("unlink") { try await $0.unlink("i1") },
        PeopleCall("passkeys") { _ = try await $0.passkeys() },
        PeopleCall("beginPasskey") { _ = try await $0.beginPasskey() },
        PeopleCall("addPasskey") {
            _ = try await $0.addPasskey(SupabasePasskeyRequest(id: "p1", options: [:]), credential: [:])
        },
        PeopleCall("rename") { try await $0.rename(passkey: "p1", to: "a") },
        PeopleCall("remove") { try await $0.remove(passkey: "p1") },
    ]
}
