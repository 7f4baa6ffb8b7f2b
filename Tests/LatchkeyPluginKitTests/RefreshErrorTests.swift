import Latchkey
import LatchkeyJSON
import LatchkeyPluginKit
import Testing

@Suite struct RefreshErrorTests {
    /// What a refresh throws that gets this answer.
    private func error(_ status: Int, _ body: String) async throws -> any Error {
        var service = OneAnswer(status, body, ["Retry-After": "9", "X-Request-ID": "r-1"]).service()
        service.explaining = {
            $0.refreshError(
                $0.body["error"]?.string, definite: ["invalid_grant": .refused, "disabled": .banned],
                refusedUnread: ["invalid_client": .configuration(.clientRefused), "slow_down": .rateLimited])
        }
        do {
            _ = try await service.post("/token")
        } catch {
            return error
        }
        throw Missing()
    }

    private struct Missing: Error {}

    @Test("A code of the closed list ends the session, with what it means", arguments: [400, 401, 403, 404, 422])
    func definite(status: Int) async throws {
        let refusal = try await error(status, #"{"error":"disabled"}"#) as? Refusal
        #expect(
            refusal == Refusal(.definite, code: "disabled", requestID: "r-1", reason: .banned, issuedNothing: true))
    }

    @Test(
        "What has no code of the service says nothing about the session, whatever its status",
        arguments: [400, 401, 403],
        [
            "", "<html>invalid_grant</html>", "invalid_grant", "{}", "[]", "null", #"["invalid_grant"]"#,
            #"{"error":["invalid_grant"]}"#, #"{"error":{"code":"invalid_grant"}}"#, #"{"message":"invalid_grant"}"#,
        ])
    func foreign(status: Int, body: String) async throws {
        let error = try #require(try await error(status, body) as? AuthError)
        #expect(error.recovery == .retryLater && error.foreign?.status == status)
    }

    @Test(
        "With another code a refusal is unexplained, and repeats nothing of the answer",
        arguments: [400, 401, 403],
        [#"{"error":"other"}"#, #"{"error":"INVALID_GRANT"}"#, #"{"error":"invalid_grant "}"#])
    func unexplained(status: Int, body: String) async throws {
        let refusal = try await error(status, body) as? Refusal
        #expect(refusal == Refusal(.unexplained, code: "HTTP \(status)", requestID: "r-1"))
    }

    @Test("A refusal before anybody looked at the session says that nothing was changed")
    func unread() async throws {
        let slow = try #require(try await error(400, #"{"error":"slow_down"}"#) as? NotSent)
        #expect(slow.error.code == .rateLimited)
        #expect(slow.error.retryAfter == .seconds(9))
        #expect(try await error(401, #"{"error":"invalid_client"}"#).meaning == .configuration(.clientRefused))
    }

    @Test(
        "Any other status passes, whatever its body says", arguments: [402, 404, 405, 409, 410, 422],
        ["", "<html>invalid_grant</html>", #"{"error":"other"}"#])
    func passing(status: Int, body: String) async throws {
        #expect(try await error(status, body).meaning == .serviceTrouble)
    }

    @Test("Trouble is never a refusal, even with a code of the list", arguments: [429, 500, 502, 503, 504])
    func trouble(status: Int) async throws {
        let error = try await error(status, #"{"error":"invalid_grant"}"#)
        #expect(error is AuthError)
        #expect((error as? AuthError)?.retryAfter == .seconds(9))
    }

    @Test("A sign-in tells a known code, a foreign one and a gateway apart")
    func meanings() async throws {
        let meanings = ["wrong": (code: AuthError.Code.refused(.wrongInput), sentence: "The password is wrong.")]
        func meaning(_ body: String) async throws -> AuthError {
            let answer = try #require(await OneAnswer(400, body).failure() as? JSONService.ErrorAnswer)
            return answer.error(answer.body["error"]?.string, meanings: meanings)
        }
        let known = try await meaning(#"{"error":"wrong"}"#)
        #expect(known.code == .refused(.wrongInput))
        #expect(known.serviceCode == "wrong")
        for body in [#"{"error":"other"}"#, "{}"] {
            let foreign = try await meaning(body)
            #expect(foreign.code == .refused(.other))
            #expect(foreign.serviceCode == nil)
        }
        for body in ["", "<html>wrong</html>", "wrong"] { #expect(try await meaning(body).code == .serviceTrouble) }
    }
}
