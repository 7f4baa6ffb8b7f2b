public import Latchkey
import LatchkeyHTTPServer

/// A browser came back with something that is not the answer to the visit, or was not listened to. It proves nothing,
/// since any web page can cause it, so the wait goes on; but it may be what the person's own service or browser did, so
/// the person is told.
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
    /// An answer that cannot be decoded, or a request that is none of HTTP's.
    case unreadable
    /// A browser whose fields, mostly the cookies of other servers on this machine, have more than 64 KiB.
    case longHead
    /// A browser that was led here by another host name or port than the redirect's.
    case otherHost
    /// A browser of another user of this machine, as after `sudo -iu`.
    case otherUser
    /// A connection of which the system does not say whose it is, as through a container's mapped port. With
    /// ``LoopbackPresenter/Options/exposesServiceAddress`` such connections are answered.
    case unknownOwner

    /// Whether the browser's request was not looked at, whatever it brought. Its page's address may still be the answer,
    /// for the person to paste.
    public var isRefusal: Bool {
        switch self {
        case .unreadable, .longHead, .otherHost, .otherUser, .unknownOwner: true
        case .anonymousError, .otherSignIn, .withoutAnswer, .form, .tooLong: false
        }
    }

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
        case .unreadable: 400
        case .longHead: 431
        case .otherHost: 421
        case .otherUser, .unknownOwner: 403
        }
    }

    /// Whether the address of the browser's page can be pasted in place of the redirect.
    var canPaste: Bool {
        switch self {
        case .longHead, .otherUser, .unknownOwner: true
        default: false
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
