import Foundation
import Latchkey
import LatchkeyOAuthCore

/// What is wrong with a verdict, by what was sent and what came.
extension AnswerRules {
    /// What is wrong with a verdict; empty if nothing is.
    func faults(of verdict: AnswerVerdict) -> [String] {
        var faults: [String] = []
        if !expected.contains(verdict.name) {
            faults.append("\(verdict.name) in place of \(expected.sorted().joined(separator: " or "))")
        }
        for secret in secrets where verdict.text.contains(secret) { faults.append("a secret is told") }
        for cited in Self.cited(in: verdict.text) where !body.contains(cited) && !(answer.url.contains(cited)) {
            faults.append("`\(cited)` is not in the answer")
        }
        for number in verdict.text.matches(of: /HTTP ([0-9]{3})/).map(\.1) where String(number) != "\(status)" {
            faults.append("HTTP \(number) is not the status")
        }
        if isAboutCode, verdict.name == "configuration.clientRefused", !verdict.text.contains("code") {
            faults.append("a refusal that may be the code's is told as the client's")
        }
        let brought = answer.members?["refresh_token"] as? String
        if answer.place == .refresh, isSuccess, let brought, !brought.isEmpty, verdict.kept != brought {
            faults.append("the new refresh token is not kept")
        }
        return faults
    }

    private var body: String {
        String(decoding: answer.response?.body ?? [], as: UTF8.self) + (answer.response?.fields["Location"] ?? "")
    }

    /// Whether a code was refused for what is the code's, with a word that is the client's.
    private var isAboutCode: Bool {
        let words = ["again", "verifier", "spent", "of another client", "used twice", "redirect"]
        return answer.place == .code && answer.name.hasPrefix("code:") && code != "invalid_client"
            && words.contains { answer.tried.contains($0) }
    }

    /// What was sent or came and must not be told.
    private var secrets: [String] {
        let sent = ["code", "refresh_token", "client_secret", "code_verifier", "token", "device_code", "assertion"]
            .compactMap { answer.form[$0] }
        let came = ["access_token", "refresh_token", "id_token", "device_code"]
            .compactMap { answer.members?[$0] as? String }
        let query = URLComponents(string: answer.appRedirect ?? "")?.queryItems?.first { $0.name == "code" }?.value
        return (sent + came + [query, answer.basic?.secret].compactMap { $0 }).filter { $0.utf8.count >= 8 }
    }

    /// The words between backticks that are codes.
    private static func cited(in text: String) -> [String] {
        text.matches(of: /`([a-z_]+)`/).map { String($0.1) }.filter { !ownWords.contains($0) }
    }

    /// Members and parameters that the provider's own sentences name.
    private static let ownWords: Set<String> = [
        "state", "openid", "token_type", "iss", "code", "error", "access_token", "id_token", "sub", "raw",
    ]
}
