import Latchkey
import Proofs
import Testing

@Suite struct AuthErrorTests {
    @Test("every code says what the caller does next", .need("N12"), .complaint(.supabase, 26))
    func recovery() {
        let rows: [(AuthError.Code, String, AuthError.Recovery)] = [
            (.signInRequired(.interrupted), "signInRequired.interrupted", .signIn),
            (.offline(.graceOver), "offline.graceOver", .retryLater),
            (.serviceTrouble, "serviceTrouble", .retryLater), (.rateLimited, "rateLimited", .retryLater),
            (.busy, "busy", .retryLater), (.locked, "locked", .unlock),
            (.unlockUnavailable(.missing), "unlockUnavailable.missing", .unlock),
            (.refused(.wrongInput), "refused.wrongInput", .correctInput), (.declined, "declined", .correctInput),
            (.store(.full), "store.full", .repairStore),
            (.configuration(.changed), "configuration.changed", .fixConfiguration),
            (.untrusted(.nonce), "untrusted.nonce", .investigate), (.cancelled, "cancelled", .none),
        ]
        for (code, name, recovery) in rows {
            #expect(code.name == name)
            #expect(AuthError(code, "m").recovery == recovery)
        }
    }

    @Test("an error's text has its code, provider, sentence and request number")
    func text() {
        let error = AuthError(.serviceTrouble, "The service failed.", provider: "oauth", requestID: "r-1")
        #expect("\(error)" == "serviceTrouble (oauth): The service failed. [request r-1]")
    }
}
