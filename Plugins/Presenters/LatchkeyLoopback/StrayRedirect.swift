public import Latchkey
import LatchkeyHTTPServer

/// A browser came back with something that is not the answer to the visit. It proves nothing, since any web page can
/// cause it, so the wait goes on; but it may be what the person's own service did, so the person is told.
public enum StrayRedirect: String, CaseIterable, Hashable, Sendable {
    /// An error without the `state` of a visit, as services answer that do not know the client or the redirect.
    case anonymousError
    /// An answer to another sign-in, such as one in an older tab of the browser.
    case otherSignIn
    /// Nothing behind the address, or behind a `#`, which a browser keeps to itself (`response_mode=fragment`).
    case withoutAnswer
    /// The answer as a form (`response_mode=form_post`).
    case form
    /// An answer of more than 8 KiB.
    case tooLong

    /// Returns one or two sentences for a terminal: what came, what to do, and that the wait goes on.
    public func text(in language: TextLanguage = .system) -> String {
        let table = LoopbackTexts.table
        return "\(table.text("stray.\(rawValue)", in: language)) \(table.text("stray.waiting", in: language))"
    }

    /// The status of the answer.
    var status: Int {
        switch self {
        case .anonymousError, .otherSignIn, .withoutAnswer: 404
        case .form: 405
        case .tooLong: 414
        }
    }

    /// Returns what is wrong with a request at the redirect's path that is not the answer to `visit`.
    init(_ request: ServerRequest) {
        let names = Set(request.queryPairs.map(\.name))
        if names.isEmpty {
            self = .withoutAnswer
        } else {
            self = names.contains("error") && !names.contains("state") ? .anonymousError : .otherSignIn
        }
    }
}
