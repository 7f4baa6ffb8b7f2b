import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeySupabase

@Suite("What a Supabase service says went wrong")
struct ErrorCodeTests {
    struct Shape: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var status = 400
        var body: String
        var fields: HeaderFields = [:]
        var code: String?
        var isOfService = true
    }

    static let newFormat: HeaderFields = ["X-Supabase-Api-Version": "2024-01-01"]

    static let shapes: [Shape] = [
        Shape(
            testDescription: "A", body: #"{"code":"otp_expired","message":"m"}"#, fields: newFormat, code: "otp_expired"
        ),
        Shape(
            testDescription: "A by the header alone", body: #"{"code":"otp_expired","message":"m"}"#,
            fields: ["X-Sb-Error-Code": "otp_expired"], code: "otp_expired"),
        Shape(testDescription: "B", body: #"{"code":400,"error_code":"otp_expired","msg":"m"}"#, code: "otp_expired"),
        Shape(
            testDescription: "B with the number as a text",
            body: #"{"code":"400","error_code":"otp_expired","msg":"m"}"#,
            fields: ["x-sb-error-code": "otp_expired"], code: "otp_expired"),
        Shape(testDescription: "B without a code", body: #"{"code":405,"msg":"m"}"#, code: nil),
        Shape(testDescription: "C", body: #"{"error":"invalid_grant","error_description":"m"}"#, code: "invalid_grant"),
        Shape(
            testDescription: "C with words", body: #"{"error":"invalid request","error_description":"d"}"#, code: nil),
        Shape(
            testDescription: "C with words alone", body: #"{"error":"invalid request"}"#, code: nil,
            isOfService: false),
        Shape(
            testDescription: "C with another status", status: 401, body: #"{"error":"invalid_grant"}"#,
            code: "invalid_grant", isOfService: false),
        Shape(
            testDescription: "F", status: 500, body: #"{"code":"P0001","message":"m","hint":"h"}"#,
            fields: ["x-sb-error-code": "unexpected_failure"], code: "unexpected_failure"),
        Shape(testDescription: "G", body: #"{"message":"m","hint":"h"}"#, code: nil, isOfService: false),
        Shape(testDescription: "G as a page", body: "<html>otp_expired</html>", code: nil, isOfService: false),
        Shape(
            testDescription: "G with a code of its own", body: #"{"code":"otp_expired","message":"m"}"#,
            code: "otp_expired", isOfService: false),
        Shape(testDescription: "empty", body: "", code: nil, isOfService: false),
        Shape(
            testDescription: "the header is no code", body: "", fields: ["x-sb-error-code": "Drop Table;"], code: nil,
            isOfService: false),
        Shape(
            testDescription: "the code is far too long",
            body: #"{"code":"\#(String(repeating: "a", count: 65))","message":"m"}"#,
            fields: newFormat, code: nil, isOfService: false),
    ]

    @Test("every shape is read, and only the service's own are believed", arguments: shapes)
    func shape(_ shape: Shape) {
        let response = TransportResponse(status: shape.status, fields: shape.fields, body: Array(shape.body.utf8))
        let answer = ErrorAnswer(response)
        #expect(answer.code?.rawValue == shape.code && answer.isOfService == shape.isOfService)
    }

    @Test("each of the 109 codes has a meaning, and an error that carries the code", .complaint(.supabase, 26))
    func all() {
        #expect(SupabaseErrorCode.meanings.count == 109)
        for (code, meaning) in SupabaseErrorCode.meanings {
            let body = Array(#"{"code":"\#(code)","message":"m"}"#.utf8)
            let answer = ErrorAnswer(TransportResponse(status: 400, fields: Self.newFormat, body: body))
            let error = SupabaseFailure(answer: answer).authError("s")
            #expect(error.supabase == code && error.code == meaning.outcome && error.provider == "s")
            #expect(error.message.hasSuffix(".") && error.message.first?.isUppercase == true)
        }
    }

    @Test("a code of tomorrow is kept, and its message is not shown")
    func open() {
        let body = Array(#"{"code":"of_tomorrow","message":"token abc"}"#.utf8)
        let answer = ErrorAnswer(TransportResponse(status: 418, fields: Self.newFormat, body: body))
        let error = SupabaseFailure(answer: answer).authError("s")
        #expect(error.supabase == SupabaseErrorCode(rawValue: "of_tomorrow") && !error.message.contains("abc"))
        #expect(error.code == .refused(.other))
    }

    @Test("a weak password says what it lacks, in both formats, and nothing else")
    func weak() {
        let lacking = #""weak_password":{"reasons":["length","pwned","<b>"]}"#
        for body in [
            #"{"code":"weak_password","message":"m",\#(lacking)}"#,
            #"{"code":422,"error_code":"weak_password","msg":"m",\#(lacking)}"#,
        ] {
            let answer = ErrorAnswer(TransportResponse(status: 422, fields: Self.newFormat, body: Array(body.utf8)))
            let error = SupabaseFailure(answer: answer).authError("s")
            #expect(
                error.code == .refused(.passwordNotAccepted)
                    && error.message == "The password is too weak: length, pwned.")
        }
    }

    @Test("a wrong URL, a wrong key and a paused project are told apart", .complaint(.supabase, 26))
    func gateways() {
        func code(_ status: Int, _ body: String) -> AuthError {
            SupabaseFailure(answer: ErrorAnswer(TransportResponse(status: status, body: Array(body.utf8)))).authError(
                "s")
        }
        #expect(code(401, #"{"message":"Invalid API key"}"#).code == .configuration(.clientRefused))
        #expect(code(404, "404 page not found").foreign?.kind == .notFound)
        #expect(code(405, "").foreign?.kind == .refused && code(308, "").foreign?.kind == .redirect)
        #expect(code(540, "").message == "The project is paused." && code(540, "").code == .serviceTrouble)
        #expect(code(400, #"{"message":"Project not specified"}"#).code == .serviceTrouble)
        #expect(code(503, "<html>").code == .serviceTrouble && code(429, "").code == .rateLimited)
    }

    @Test("a resource's answer that speaks of the token is told from one that does not")
    func judging() {
        let provider = Scene().provider
        func verdict(_ status: Int, _ code: String?, _ body: String = "") -> TokenVerdict {
            let fields = code.map { HeaderFields([("x-sb-error-code", $0)]) } ?? [:]
            return provider.verdict(on: TransportResponse(status: status, fields: fields, body: Array(body.utf8)))
        }
        #expect(verdict(401, nil, #"{"code":"PGRST301","message":"JWT expired"}"#) == .rejected)
        #expect(verdict(401, nil) == .rejected && verdict(403, nil) == .accepted && verdict(200, nil) == .accepted)
        #expect(verdict(401, nil, #"{"message":"Invalid API key"}"#) == .accepted)
        for code in ["bad_jwt", "session_not_found", "user_not_found", "user_banned"] {
            #expect(verdict(403, code) == .rejected)
        }
        for (status, code) in [(401, "insufficient_aal"), (403, "insufficient_aal"), (422, "insufficient_aal")] {
            #expect(verdict(status, code) == .insufficient(StepUp(acr: ["aal2"])))
        }
        #expect(verdict(403, "not_admin") == .accepted && verdict(422, "weak_password") == .accepted)
        #expect(verdict(401, "no_authorization") == .rejected && verdict(500, "bad_jwt") == .accepted)
    }
}
