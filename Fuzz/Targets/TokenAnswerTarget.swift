import FoundationEssentials
import Latchkey
@testable import LatchkeyJSON
import LatchkeyOAuthCore

extension FuzzTarget {
    /// An answer of the token endpoint with tokens.
    static let tokenAnswer = FuzzTarget(name: "token-answer", longest: 4_096) { bytes throws(Disagreement) in
        for (response, looks) in AnswerRules.answers(bytes) {
            try AnswerRules.demandTokenRules(response, looks: looks)
        }
    }
}

/// The rules for every answer of an endpoint.
enum AnswerRules {
    static let now = Date(timeIntervalSince1970: 1_795_176_000)
    static let definite: Set<String> = ["invalid_grant", "expired_token"]

    /// Returns the answer in an input, and for every fourth input also the same with the canary in each text of its
    /// body. Each comes with whether to look for the canary in its descriptions, which takes most of the time.
    static func answers(_ bytes: [UInt8]) -> [(TransportResponse, looks: Bool)] {
        let response = HostileAnswer(bytes).response
        let answer = (response, looks: Canary.isIn(bytes))
        return bytes.count & 3 == 0 ? [answer, (marked(response), looks: true)] : [answer]
    }

    /// Returns the answer with the canary in each text of its body, except in `error`.
    private static func marked(_ response: TransportResponse) -> TransportResponse {
        guard let document = document(response.body) else { return response }
        var marked = Canary.mark(document)
        if case .object(var members) = marked {
            members["error"] = document["error"]
            marked = .object(members)
        }
        return TransportResponse(status: response.status, fields: response.fields, body: marked.serialized())
    }

    static func document(_ body: [UInt8]) -> JSON? { try? JSON.parse(body, reader: .portable) }

    static func demandTokenRules(_ response: TransportResponse, looks: Bool) throws(Disagreement) {
        let answer = TokenAnswer.judge(response, definite: definite, now: now)
        if looks { try Canary.demandHidden(answer) }
        let document = document(response.body)
        let error = document?["error"]?.string ?? ""
        switch answer {
        case .tokens(let tokens):
            try demand((200...299).contains(response.status), "tokens are taken from HTTP \(response.status)")
            try demand(error.isEmpty, "tokens are taken beside an error")
            try demand(
                document?["access_token"]?.string.map { Array($0.utf8) } == tokens.accessToken.reveal(),
                "the access token is not the one that came")
            try demandTokens(tokens)
            if looks { try Canary.demandHidden(tokens) }
        case .failure(let failure):
            try demandFailure(failure, response, error)
            for kind in [TokenGrant.Kind.code, .refresh, .device, .client] where looks {
                try Canary.demandHidden(failure.authError(for: kind))
            }
        }
    }

    private static func demandTokens(_ tokens: TokenResponse) throws(Disagreement) {
        let isVisible = { (byte: UInt8) in (0x21...0x7E).contains(byte) }
        try demand(
            !tokens.accessToken.isEmpty && tokens.accessToken.reveal().allSatisfy(isVisible),
            "an access token would break its header")
        try demand(
            !tokens.scheme.isEmpty
                && tokens.scheme.utf8.allSatisfy { isVisible($0) && !"()<>@,;:\\\"/[]?={}".utf8.contains($0) },
            "a scheme would break its header")
        try demand(
            tokens.expiresIn.map { $0 >= .zero && $0 <= Lifetime.longest } ?? true, "a lifetime is out of bounds")
        try demand(tokens.refreshToken?.isEmpty != true && tokens.idToken?.isEmpty != true, "a token is empty")
        try demand(
            tokens.scopes?.allSatisfy { !$0.isEmpty } ?? true, "a scope is empty")
    }

    private static func demandFailure(
        _ failure: TokenFailure, _ response: TransportResponse, _ error: String
    ) throws(Disagreement) {
        switch failure {
        case .definiteRefusal(let code):
            try demand(
                [200...299, 400...499].contains { $0.contains(response.status) },
                "HTTP \(response.status) ends a session")
            try demand(
                definite.contains { $0.utf8.elementsEqual(error.utf8) },
                "an error that is not on the list ends a session")
            try demand(code.utf8.elementsEqual(error.utf8), "another code is told than came")
        case .clientRefused(let code):
            try demand(code.map(isWord) ?? true, "a text that is no code is told")
        case .unexplainedRefusal(let code):
            try demand(isWord(code), "a text that is no code is told")
        case .rateLimited(let wait), .transient(_, let wait), .foreign(_, let wait):
            try demand(isWait(wait), "a wait is out of bounds")
        case .malformed:
            try demand((200...299).contains(response.status), "HTTP \(response.status) is judged by its body alone")
        default: break
        }
    }

    /// Whether there is no wait, or one within bounds.
    static func isWait(_ wait: Duration?) -> Bool { wait.map { $0 >= .zero && $0 <= RetryAfter.longest } ?? true }

    private static func isWord(_ code: String) -> Bool {
        definite.contains(code)
            || code.utf8.count <= 64
                && code.utf8.allSatisfy {
                    (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                        || "_-.:".utf8.contains($0)
                }
    }
}
