import FoundationEssentials
import Latchkey
import LatchkeyJSON
import Testing

@Suite struct AuthErrorTests {
    @Test("every code says what the caller does next")
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

    @Test("a date in a header is read in its preferred form, and nothing else is")
    func timestamps() {
        #expect(HTTPTimestamp.date("Sun, 06 Nov 1994 08:49:37 GMT")?.timeIntervalSince1970 == 784_111_777)
        #expect(HTTPTimestamp.date("Thu, 01 Jan 1970 00:00:00 GMT")?.timeIntervalSince1970 == 0)
        #expect(HTTPTimestamp.date("Thu, 29 Feb 2024 23:59:59 GMT")?.timeIntervalSince1970 == 1_709_251_199)
        for text in [
            "", "Sun, 06 Nov 1994 08:49:37", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Abc 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
        ] {
            #expect(HTTPTimestamp.date(text) == nil, "\(text)")
        }
    }
}
