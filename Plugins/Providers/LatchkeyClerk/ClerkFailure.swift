import Latchkey
import LatchkeyJSON
import LatchkeyPluginKit

/// A whole refusal of the service. The service's sentences may repeat what was typed, so they are
/// never part of an error's message; a form may show them to the person who typed, and so may
/// ``/Latchkey/AuthError/serviceText`` if they repeat nothing.
struct ClerkFailure: Error, Sendable {
    /// One entry of `errors`.
    struct Entry: Sendable {
        /// The code, such as `form_password_incorrect`.
        let code: String
        /// The service's message for the person; `nil` if there is none.
        let sentence: String?
        /// Details as free JSON, with `param_name` for a field of a form.
        let meta: JSON

        /// The service's name for the wrong field.
        var field: String? { meta["param_name"]?.string }
    }

    /// The HTTP status.
    let status: Int
    /// The entries, in the service's order; at most 64.
    let entries: [Entry]
    /// The service's id of the request.
    let traceID: String?
    /// How long to wait before trying again.
    let retryAfter: Duration?
    private let answer: JSONService.ErrorAnswer

    init(_ answer: JSONService.ErrorAnswer) {
        status = answer.status
        retryAfter = answer.retryAfter
        entries = (answer.body["errors"]?.array ?? []).prefix(64).compactMap { entry in
            guard let code = entry["code"]?.string, Self.isWord(code) else { return nil }
            return Entry(
                code: code, sentence: entry["long_message"]?.string ?? entry["message"]?.string,
                meta: entry["meta"] ?? .null)
        }
        traceID = answer.body["clerk_trace_id"]?.string.flatMap { Self.isWord($0) ? $0 : nil }
        self.answer = answer
    }

    /// Whether a body is of the service's form: a list of errors with codes.
    static func isOwn(_ body: JSON) -> Bool {
        body["errors"]?.array?.first?["code"]?.string.map(isWord) == true
    }

    /// Whether `text` is a plain word: it is shown in errors.
    static func isWord(_ text: String) -> Bool {
        (1...80).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F
                    || $0 == 0x2D
            }
    }

    /// The first code.
    var code: String? { entries.first?.code }

    /// Whether the first code is a published one. A gateway's answer has no code, and a new code may mean anything.
    var isPublished: Bool { code.flatMap(ClerkErrorCodes.meaning) != nil }

    /// The session that the answer names, such as one that is signed in already.
    var namedSession: String? { entries.lazy.compactMap { $0.meta["session_id"]?.string }.first }

    /// Returns the failure as an ``/Latchkey/AuthError``.
    ///
    /// - Parameter isSigningIn: Whether the call is part of a sign-in, so that no session is at
    ///   stake. A code that would end a session then only refuses this attempt.
    func error(isSigningIn: Bool) -> AuthError {
        let entry = entries.first
        var meaning = entry.flatMap { ClerkErrorCodes.meaning($0.code) } ?? unnamed
        if isSigningIn, case .signInRequired(let reason) = meaning {
            meaning = reason == .banned ? .refused(.denied) : .refused(.expired)
        }
        let sentence = entry.map { Self.sentence(meaning, $0) } ?? "The service answered HTTP \(status)."
        var error = answer.error(meaning, sentence, serviceCode: entry?.code)
        error.requestID = traceID ?? error.requestID
        if code == "user_locked", let seconds = entry?.meta["lockout_expires_in_seconds"]?.number, seconds > 0 {
            error.retryAfter = error.retryAfter ?? .seconds(Int64(min(seconds, 1e8)))
        }
        return error.saying(text)
    }

    /// The service's words.
    var text: ServiceText? {
        (answer.body["errors"]?.array?.first).flatMap { answer.text(["long_message", "message"], in: $0) }
    }

    /// The meaning of the status, for an answer without a code.
    private var unnamed: AuthError.Code {
        switch status {
        case 401: .signInRequired(.refused)
        case 403: .refused(.denied)
        case 404, 410: .refused(.expired)
        // What was asked is refused, and the service is not in trouble.
        case 400, 402, 405, 406, 413, 414: .refused(.other)
        case 415: .configuration(.invalid)
        case 422: .refused(.wrongInput)
        default: .serviceTrouble
        }
    }

    private static func sentence(_ meaning: AuthError.Code, _ entry: Entry) -> String {
        let field = entry.field.flatMap { isWord($0) ? " (\($0))" : nil } ?? ""
        switch meaning {
        case .refused(.wrongInput): return "The service does not take what was entered\(field)."
        case .refused(.passwordNotAccepted): return "The service does not take this password\(field)."
        case .refused(.expired): return "What was to be answered is over; begin again."
        case .refused(.captcha):
            return "The instance asks native programs for a proof that only a browser or an attested device has; in the"
                + " dashboard, its attack protection has to exempt them."
        case .refused(.other) where entry.code == "session_exists":
            return
                "The instance takes one person at a time on a client, and somebody is signed in: sign them out first."
        case .refused(.factorRequired): return "The person has to prove who they are once more."
        case .refused(.denied) where entry.code == "user_locked":
            guard let seconds = entry.meta["lockout_expires_in_seconds"]?.number, seconds > 0, seconds < 1e8 else {
                return "The account is locked for now, after too many wrong tries."
            }
            let minutes = Int((seconds / 60).rounded(.up))
            return
                "The account is locked for \(minutes) more minute\(minutes == 1 ? "" : "s"), after too many wrong tries."
        case .refused(.denied) where entry.code == "sign_up_mode_restricted":
            return "The instance takes new people by invitation only."
        case .refused(.denied) where entry.code == "sign_up_restricted_waitlist":
            return "The instance takes new people from its waitlist only: put the address on it first."
        case .refused(.denied): return "The service does not let this person do it."
        case .configuration(.clientRefused):
            return entry.code == "native_api_disabled"
                ? "The Native API is off; switch it on in the dashboard, under Native applications."
                : "The instance does not know this program; look at its native applications in the dashboard."
        case .configuration(.unsupported): return "The instance, or this person's account, does not offer it\(field)."
        case .configuration: return "The request or a setting of the instance is wrong\(field)."
        case .rateLimited: return "The service wants fewer requests."
        case .serviceTrouble: return "The service is in trouble."
        case .signInRequired: return "The service does not know the session any more."
        default: return "The service refused."
        }
    }
}

extension ClerkFailure: CustomStringConvertible, CustomReflectable {
    /// The status and the codes.
    var description: String { "HTTP \(status) \(entries.map(\.code).joined(separator: ", "))" }

    /// Empty, so that `dump` shows nothing.
    var customMirror: Mirror { Mirror(self, children: []) }
}
