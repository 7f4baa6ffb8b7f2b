public import Latchkey
import LatchkeyJSON

extension JSONService.ErrorAnswer {
    /// The error code that a code of the service becomes, and the sentence that explains it.
    public typealias Meaning = (code: AuthError.Code, sentence: String)

    /// Returns the error to throw from a sign-in, a sign-out or another call that spends no session.
    ///
    /// | The answer | The error |
    /// | --- | --- |
    /// | has a code of `meanings` | as it says there, with the code |
    /// | is the service's, with another code or none | `refused(.other)` |
    /// | is a gateway's, or empty | that of ``foreign`` |
    ///
    /// - Parameters:
    ///   - code: The code that the provider read in ``body``. Shown only if it is one of `meanings`.
    ///   - meanings: The codes that the service documents.
    public func error(_ code: String?, meanings: [String: Meaning]) -> AuthError {
        if let code, let meaning = meanings[code] { return error(meaning.code, meaning.sentence, serviceCode: code) }
        guard body.object != nil else { return foreignError }
        return error(.refused(.other), "The service refused with HTTP \(status), for a reason that is not known here.")
    }

    /// Returns the error to throw from ``/Latchkey/AuthProvider/refresh(_:for:in:)``. A code that
    /// is in no list ends no session.
    ///
    /// | The answer | The error |
    /// | --- | --- |
    /// | has a code of `definite` | ``/Latchkey/Refusal`` `definite`, with its reason |
    /// | has a code of `refusedUnread` | ``/Latchkey/NotSent`` with that error |
    /// | has no code: a gateway's page, JSON of another form, nothing | that of ``foreign``: nothing changes |
    /// | 400, 401 or 403 with another code | ``/Latchkey/Refusal`` `unexplained` |
    /// | another status with another code | `serviceTrouble`: nothing changes |
    ///
    /// - Parameters:
    ///   - code: The code that the provider read in ``body``. Shown only if it is in one of the lists.
    ///   - definite: The codes by which the service says that the session is over, and what each
    ///     means for the person. A closed list: leave out codes that also stand for a wrong key, a
    ///     wrong form or too many requests.
    ///   - refusedUnread: The codes by which the service refuses a request before it looks at the
    ///     session: a wrong key, too many requests.
    public func refreshError(
        _ code: String?, definite: [String: AuthError.SignInRequiredReason],
        refusedUnread: [String: AuthError.Code] = [:]
    ) -> any Error {
        if let code, let reason = definite[code] {
            return Refusal(.definite, code: code, requestID: requestID, reason: reason, issuedNothing: true)
        }
        if let code, let meaning = refusedUnread[code] {
            return NotSent(error(meaning, "The service refused the request, not the session.", serviceCode: code))
        }
        guard code != nil else { return foreignError }
        switch status {
        case 400, 401, 403: return Refusal(.unexplained, code: "HTTP \(status)", requestID: requestID)
        default: return error(.serviceTrouble, "The service answered HTTP \(status).")
        }
    }
}
