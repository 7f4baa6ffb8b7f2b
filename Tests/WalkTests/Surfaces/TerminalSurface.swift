import Latchkey
import LatchkeySystem
import LatchkeyModel
import LatchkeyTesting

@testable import LatchkeyTerminal

/// A conversation at a terminal: what it writes and asks is read, and answered as the person does.
struct TerminalSurface: Sendable {
    let client: AuthClient
    private let scribe: Scribe

    init(_ respondent: Respondent, client: AuthClient) {
        self.client = client
        scribe = Scribe(respondent)
    }

    /// Runs one conversation to its end.
    func converse(_ request: SignInRequest, at provider: ProviderID) async throws -> [Passage] {
        var options = SignInOptions()
        options.redirect = PageSurface.callback
        let time = scribe.respondent.town.keepTime()
        defer { time.cancel() }
        do throws(AuthError) {
            let end = try await client.converse(request, with: provider, options: options, asking: scribe)
            switch end {
            case .signedIn(let session): scribe.note(.granted(account: session.account.value, label: session.label))
            default: scribe.note(.elsewhere)
            }
        } catch {
            scribe.note(.told(error.text(in: .english)))
        }
        return scribe.takePassages()
    }
}

/// A terminal with a person in front of it, and a record of what the person reads.
private final class Scribe: TerminalDevice, RefusalShowing {
    private struct State {
        /// What was written since the last answer.
        var text = ""
        /// The fields that were asked for since then.
        var fields: [Question.Field] = []
        var passages: [Passage] = []
    }

    private let state = Locked(State())
    let respondent: Respondent

    init(_ respondent: Respondent) { self.respondent = respondent }

    func note(_ passage: Passage) { state.withLock { $0.passages.append(passage) } }

    func takePassages() -> [Passage] {
        state.withLock { state in
            defer { state.passages = [] }
            return state.passages
        }
    }

    func answer(_ challenge: Challenge) async throws -> Answer {
        let answer = try await TerminalPresenter(device: self, language: .english).answer(challenge)
        state.withLock { state in
            if let question = TerminalReader.question(state.text, state.fields) {
                state.passages.append(.asked(question))
            }
            (state.text, state.fields) = ("", [])
        }
        return answer
    }

    func show(_ refusal: AuthError, of challenge: Challenge) async throws {
        try await TerminalPresenter(device: self, language: .english).show(refusal, of: challenge)
        state.withLock { state in
            state.passages.append(.told(String(state.text.dropLast(2))))
            state.text = ""
        }
    }

    func size() -> (columns: Int, rows: Int) { (200, 0) }

    func write(_ text: String) async throws {
        state.withLock { $0.text += text }
        // A device code is shown and not answered.
        guard text.hasSuffix("Waiting for the other device (Ctrl-C to stop).\n"),
            let question = TerminalReader.question(text, [])
        else { return }
        note(.asked(question))
        try respondent.approve(question)
    }

    func readLine(_ prompt: String, hidden: Bool) async throws -> TerminalLine {
        let (text, fields) = state.withLock { state in
            state.text += prompt
            let name = TerminalReader.field(prompt)
            // A new password is typed twice.
            if name != TerminalReader.again { state.fields.append(.init(name: name, isHidden: hidden)) }
            return (state.text, state.fields)
        }
        guard let question = TerminalReader.question(text, fields) else { throw Town.Stuck() }
        switch question.kind {
        case .choose:
            let number = (question.shown.firstIndex(of: respondent.choice) ?? 0) + 1
            return .line(Array("\(number)".utf8))
        case .visit, .mail: return .line(Array(try await respondent.arrival(question).utf8))
        default: return .line(Array(respondent.value(of: fields.last?.name ?? "", for: question).utf8))
        }
    }
}

/// Reads what a terminal shows.
enum TerminalReader {
    static let again = "again"

    /// The field that a prompt asks for.
    static func field(_ prompt: String) -> String {
        switch prompt {
        case "Once more: ": again
        case "Password: ", "New password: ": "password"
        case "Number: ": "choice"
        default:
            if prompt.hasPrefix("Code") || prompt.hasPrefix("Backup code") {
                "code"
            } else {
                String(prompt.prefix { $0 != ":" && $0 != "(" }).split(separator: " ").joined(separator: " ")
            }
        }
    }

    static func question(_ text: String, _ fields: [Question.Field]) -> Question? {
        let lines = text.split(separator: "\n").map(String.init)
        let last = lines.last ?? ""
        var question = Question(kind: .fields, fields: fields)
        question.hasPicture = text.contains("Or scan:\n")
        if text.contains("The password must satisfy:") {
            question.rules = lines.filter { $0.hasPrefix("  - ") }.map { String($0.dropFirst(4)) }
        }
        if let device = text.firstMatch(of: /Open (\S+) on any device and enter this code:\n\n    (\S+)/) {
            (question.kind, question.shown) = (.device, [String(device.1), String(device.2)])
        } else if let enrolment = text.firstMatch(of: /with this key:\n\n    (\S+)/) {
            (question.kind, question.shown) = (.enrolment, [String(enrolment.1)])
        } else if let link = text.firstMatch(of: /A link was sent(?: to (\S+))?\.\n(Type "again")?/) {
            (question.kind, question.sentTo, question.fields) = (.mail, link.1.map(String.init), [])
            question.isResent = link.2 != nil
        } else if let visit = text.firstMatch(of: /Open this address in a browser:\n {2}(\S+)/) {
            (question.kind, question.shown, question.fields) = (.visit, [String(visit.1)], [])
        } else if last.hasPrefix("Number: ") {
            question.kind = .choose
            question.fields = []
            question.shown = lines.compactMap { $0.wholeMatch(of: /\ {2}\d+ {2}(.+)/).map { String($0.1) } }
        } else if last.hasPrefix("Code of the authenticator app: ") {
            question.kind = .totp
        } else if last.hasPrefix("Backup code: ") {
            question.kind = .backupCode
        } else if let code = last.prefixMatch(of: /Code(?: sent to (\S+))?( \(or "again" for another\))?:/) {
            (question.kind, question.sentTo, question.isResent) = (.code, code.1.map(String.init), code.2 != nil)
        } else if last.contains("New password: ") {
            question.kind = .newPassword
        } else if last == "Password: " {
            question.kind = .password
        } else if fields.isEmpty {
            return nil
        }
        return question
    }
}
