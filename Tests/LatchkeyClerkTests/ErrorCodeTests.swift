import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyPluginKit
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyClerk

@Suite("What the service refuses by") struct ErrorCodeTests {
    @Test("each published code says what the caller does next", .complaint(.clerk, 27))
    func every() throws {
        let path = "../shared/data/clerk/fapi-error-codes.json"
        guard let bytes = FileManager.default.contents(atPath: path) else {
            print("skipped: the list of published codes is not here")
            return
        }
        let list = try JSON.parse(Array(bytes), limits: JSONLimits(bytes: 1 << 20))
        let codes = Set((list["errors"]?.array ?? []).compactMap { $0["code"]?.string }.filter { !$0.isEmpty })
        #expect(codes.count >= 240)
        #expect(codes.subtracting(ClerkErrorCodes.known).sorted() == [])
    }

    @Test("no fewer codes are known than were published")
    func count() { #expect(ClerkErrorCodes.known.count >= 250) }

    static func failure(_ status: Int, _ body: String, _ fields: HeaderFields = [:]) async -> ClerkFailure? {
        let answer = TransportResponse(status: status, fields: fields, body: Array(body.utf8))
        let context = ProviderContext(
            world: .testing(clock: ManualClock()), transport: NotedTransport(ScriptedTransport()), cache: KeepingCache()
        )
        do {
            _ = try JSONService("https://x.test", of: "clerk", in: context, explaining: { ClerkFailure($0) }).read(
                answer)
            return nil
        } catch { return error as? ClerkFailure }
    }

    @Test("everything that a refusal says is kept, and no sentence of it is shown", .complaint(.clerk, 12, 31))
    func whole() async throws {
        let body = """
            {"errors":[{"code":"form_password_incorrect","message":"is incorrect","long_message":"hunter2 is wrong",
            "meta":{"param_name":"password"}},{"code":"user_locked","meta":{"lockout_expires_in_seconds":90}}],
            "clerk_trace_id":"0f0f"}
            """
        let failure = try #require(await Self.failure(422, body, ["Retry-After": "3"]))
        #expect(failure.entries.map(\.code) == ["form_password_incorrect", "user_locked"])
        #expect(failure.entries[0].sentence == "hunter2 is wrong" && failure.entries[0].field == "password")
        #expect(failure.traceID == "0f0f" && failure.status == 422 && failure.retryAfter == .seconds(3))
        let error = failure.error(isSigningIn: true)
        #expect(error.code == .refused(.wrongInput) && error.serviceCode == "form_password_incorrect")
        #expect(error.requestID == "0f0f" && error.retryAfter == .seconds(3))
        #expect(!"\(failure) \(error) \(error.message)".contains("hunter2"))
        #expect(error.message.contains("password"))
    }

    @Test(
        "a code that is not known is not guessed at, and a page has none",
        arguments: [
            (400, AuthError.Code.refused(.other)), (401, .refused(.expired)), (403, .refused(.denied)),
            (404, .refused(.expired)),
            (409, .serviceTrouble), (415, .configuration(.invalid)), (422, .refused(.wrongInput)),
        ])
    func unknown(_ status: Int, _ code: AuthError.Code) async throws {
        for body in [#"{"errors":[{"code":"something_new"}]}"#, "<html>no</html>", #"{"errors":[]}"#, "{}"] {
            #expect(await Self.failure(status, body)?.error(isSigningIn: true).code == code)
        }
    }

    @Test("a code that is no word never reaches an error")
    func word() async throws {
        let body = #"{"errors":[{"code":"very secret\n"}],"clerk_trace_id":"a b"}"#
        let failure = try #require(await Self.failure(422, body))
        #expect(failure.entries.isEmpty && failure.traceID == nil)
        #expect(failure.error(isSigningIn: true).serviceCode == nil)
    }

    @Test("a locked account says for how long", .complaint(.clerk, 12))
    func locked() async throws {
        let body = #"{"errors":[{"code":"user_locked","meta":{"lockout_expires_in_seconds":90}}]}"#
        let error = try #require(await Self.failure(403, body)).error(isSigningIn: true)
        #expect(error.code == .refused(.denied) && error.retryAfter == .seconds(90))
        #expect(error.message.contains("locked for 2 more minutes"))
    }

    @Test(
        "an instance that takes no new people says how one gets in, and one session at a time who is in the way",
        arguments: [
            ("sign_up_mode_restricted", "by invitation"), ("sign_up_restricted_waitlist", "waitlist"),
            ("session_exists", "sign them out"),
        ])
    func told(_ code: String, _ words: String) async throws {
        let error = try #require(await Self.failure(403, #"{"errors":[{"code":"\#(code)"}]}"#))
            .error(isSigningIn: true)
        #expect(error.message.contains(words) && error.serviceCode == code)
    }

    @Test("where the dashboard has it off, the error says what to switch on")
    func native() async throws {
        let error = try #require(await Self.failure(400, #"{"errors":[{"code":"native_api_disabled"}]}"#))
            .error(isSigningIn: true)
        #expect(error.code == .configuration(.clientRefused) && error.message.contains("Native API"))
    }
}
