import Latchkey
import LatchkeyModel

/// What a person is asked, read from what was shown, in a form that does not say whether a terminal or a page showed it.
struct Question: Equatable, Sendable {
    /// Something to fill in.
    struct Field: Equatable, Sendable {
        var name: String
        /// Whether what is typed stays unseen.
        var isHidden = false
    }

    var kind: ChallengeScreen.Kind
    var fields: [Field] = []
    /// Where the code or mail was sent.
    var sentTo: String?
    /// What is shown to act on: a key, an address, a code for another device, the options of a choice.
    var shown: [String] = []
    /// What a new password must satisfy.
    var rules: [String] = []
    /// Whether a picture to scan is shown.
    var hasPicture = false
    /// Whether the code can be sent again.
    var isResent = false
}

/// One thing that passes between a service and a person.
enum Passage: Equatable, Sendable {
    case asked(Question)
    /// What went wrong, in words.
    case told(String)
    case granted(account: String, label: String?)
    /// It ended without a session; the person goes on as the words say.
    case elsewhere
}

extension Passage: CustomStringConvertible {
    var description: String {
        switch self {
        case .asked(let question):
            [
                "asked \(question.kind.rawValue)",
                question.fields.map { $0.isHidden ? "\($0.name) (hidden)" : $0.name }.joined(separator: ", "),
                question.sentTo.map { "sent to \($0)" } ?? "", question.shown.joined(separator: " | "),
                question.rules.joined(separator: " & "), question.hasPicture ? "picture" : "",
                question.isResent ? "resend" : "",
            ].filter { !$0.isEmpty }.joined(separator: "; ")
        case .told(let words): "told \(words)"
        case .granted(let account, let label): "granted \(account) as \(label ?? "nobody")"
        case .elsewhere: "goes on elsewhere"
        }
    }
}
