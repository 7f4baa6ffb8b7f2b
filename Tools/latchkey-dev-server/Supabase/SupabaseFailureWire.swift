import LatchkeySystem
import LatchkeyHTTPServer
import LatchkeyJSON

/// A refusal, and its form on the wire in both versions of the API.
struct SupabaseFailure: Error {
    var status: Int
    var code: SupabaseCode?
    var message: String
    /// The reasons why a password is weak.
    var reasons: [String]?
    /// The error of an answer in the style of OAuth 2.0, which has no code.
    var oauthError: String?
    var fields: [(name: String, value: String)] = []

    init(_ status: Int, _ code: SupabaseCode?, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    static func oauth(_ error: String, _ description: String) -> SupabaseFailure {
        var failure = SupabaseFailure(400, nil, description)
        failure.oauthError = error
        return failure
    }

    static func weak(_ message: String, _ reasons: [String]) -> SupabaseFailure {
        var failure = SupabaseFailure(422, .weakPassword, message)
        failure.reasons = reasons
        return failure
    }

    /// The error for an unexpected failure, without a code.
    static var unexpected: SupabaseFailure {
        SupabaseFailure(500, nil, "Unexpected failure, please check server logs for more information")
    }

    /// The error of a handler that failed inside, with the code of such errors.
    static func failed(_ message: String) -> SupabaseFailure { SupabaseFailure(500, .unexpectedFailure, message) }

    static var withoutOAuthServer: SupabaseFailure {
        SupabaseFailure(404, .featureDisabled, "OAuth server is disabled")
    }

    static var expiredCode: SupabaseFailure { SupabaseFailure(403, .otpExpired, "Token has expired or is invalid") }

    static func validation(_ message: String, status: Int = 400) -> SupabaseFailure {
        SupabaseFailure(status, .validationFailed, message)
    }

    /// The word in the log.
    var outcome: String { code?.rawValue ?? oauthError ?? SupabaseCode.unexpectedFailure.rawValue }

    /// Returns an error of the service with any code. `unknown`, an error of hooks, is in no field of the header.
    static func made(up code: String, status: Int, isNew: Bool) -> ServerResponse {
        var failure = SupabaseFailure(status, SupabaseCode(rawValue: code), "This error was asked for.")
        if failure.code == nil { failure.code = .unexpectedFailure }
        var response = failure.response(new: isNew)
        let members: [String: JSON] =
            isNew
            ? ["code": .string(code), "message": .string(failure.message)]
            : ["code": .integer(Int64(status)), "error_code": .string(code), "msg": .string(failure.message)]
        response.body = JSON.object(members).serialized()
        response.fields.removeAll { $0.name == "X-Sb-Error-Code" }
        if code != "unknown" { response.set("X-Sb-Error-Code", code) }
        return response
    }

    func response(new: Bool) -> ServerResponse {
        var members: [String: JSON]
        if let oauthError {
            members = ["error": .string(oauthError), "error_description": .string(message)]
        } else if new {
            members = ["code": .string(newCode), "message": .string(message)]
        } else {
            members = ["code": .integer(Int64(status)), "error_code": .string(newCode), "msg": .string(message)]
            if status >= 500, code != nil { members["error_id"] = .string(UUIDText.make()) }
        }
        if let reasons { members["weak_password"] = .object(["reasons": .array(reasons.map(JSON.string))]) }
        var response = SupabaseReply.json(.object(members), status: status)
        for field in fields { response.set(field.name, field.value) }
        // The new format omits the field for weak passwords, as the service does.
        if let code, reasons == nil || !new { response.set("X-Sb-Error-Code", code.rawValue) }
        if new { response.set("X-Supabase-Api-Version", "2024-01-01") }
        return response
    }

    private var newCode: String {
        code?.rawValue ?? (status >= 500 ? SupabaseCode.unexpectedFailure.rawValue : "unknown")
    }
}

/// Answers that are not refusals.
enum SupabaseReply {
    static func json(_ document: JSON, status: Int = 200) -> ServerResponse {
        ServerResponse(
            status: status, fields: [("Content-Type", "application/json"), ("Vary", "Origin")],
            body: document.serialized())
    }

    static var nothing: ServerResponse { ServerResponse(status: 204, fields: [("Vary", "Origin")]) }

    static func redirect(_ location: String, status: Int) -> ServerResponse {
        let text = status == 302 ? "Found" : "See Other"
        return ServerResponse(
            status: status,
            fields: [("Content-Type", "text/html; charset=utf-8"), ("Location", location), ("Vary", "Origin")],
            body: Array("<a href=\"\(HTMLText.escape(location))\">\(text)</a>.\n\n".utf8))
    }

    static var notFound: ServerResponse {
        ServerResponse(
            status: 404, fields: [("Content-Type", "text/plain; charset=utf-8"), ("Vary", "Origin")],
            body: Array("404 page not found\n".utf8))
    }
}
