import FoundationEssentials
import Latchkey
import LatchkeyCrypto
@testable import LatchkeyJSON
@testable import LatchkeySupabase

extension FuzzTarget {
    /// An answer of Supabase Auth, or of a proxy in front of it: a session, a person, a refusal.
    static let supabaseAnswer = FuzzTarget(name: "supabase-answer", longest: 8_192) { bytes throws(Disagreement) in
        for (response, looks) in SupabaseRules.answers(bytes) {
            if (200...299).contains(response.status) {
                guard let document = AnswerRules.document(response.body) else { continue }
                try SupabaseRules.demandSession(document)
                try SupabaseRules.demandUser(document)
                try SupabaseRules.demandOffers(document)
            } else {
                try SupabaseRules.demandRefusal(response, looks: looks)
            }
        }
    }
}

/// The rules for every answer of Supabase Auth.
enum SupabaseRules {
    /// The codes that end a session. This is a separate list: the provider's own is not used.
    private static let ends: Set<String> = [
        "refresh_token_not_found", "refresh_token_already_used", "session_not_found", "session_expired",
        "validation_failed", "user_banned",
    ]
    /// Unexpected values in place of a person.
    private static let junk: [JSON?] = [nil, .null, 1, "x", [], [:], ["id": 1], ["id": "", "factors": ["x"]]]

    /// Returns the answer in an input, and for every fourth input also the same answer with the canary in each text
    /// that is not a word of the protocol.
    static func answers(_ bytes: [UInt8]) -> [(TransportResponse, looks: Bool)] {
        let response = HostileAnswer(bytes).response
        let answer = (response, looks: Canary.isIn(bytes))
        guard bytes.count & 3 == 0, let document = AnswerRules.document(response.body) else { return [answer] }
        let words: Set = ["token_type", "code", "error_code", "error", "factor_type", "type"]
        let marked = TransportResponse(
            status: response.status, fields: response.fields,
            body: Canary.mark(document, except: words).serialized())
        return [answer, (marked, looks: true)]
    }

    static func demandSession(_ document: JSON) throws(Disagreement) {
        let outcome = try Canary.outcome { () throws(JSONError) in try SessionAnswer(document) }
        guard case .success(let session) = outcome else { return }
        for (token, name) in [(session.access, "access_token"), (session.refresh, "refresh_token")] {
            try demand(
                !token.isEmpty && token.reveal().allSatisfy { (0x21...0x7E).contains($0) },
                "a token would break its header")
            try demand(
                document[name]?.string.map { Array($0.utf8) } == token.reveal(), "\(name) is not the one that came")
        }
        try demand((.zero ... .seconds(315_360_000)).contains(session.lasts), "a lifetime is out of bounds")
        try demand(!session.subject.isEmpty, "a session is nobody's")
        try demand(session.user.map { $0 == document["user"] } ?? true, "the person is not the one that came")
        let again = try Canary.outcome { () throws(JSONError) in try SessionAnswer(session.json) }
        guard case .success(let kept) = again else { throw Disagreement("a session that is kept cannot be read again") }
        try demand(isSame(kept, session) && kept.user == session.user, "a session that is kept is another one")
        guard session.claims.subject != nil, var members = document.object else { return }
        for junk in junk {
            members["user"] = junk
            let outcome = try Canary.outcome { () throws(JSONError) in try SessionAnswer(.object(members)) }
            guard case .success(let other) = outcome else { throw Disagreement("a broken person costs the session") }
            try demand(isSame(other, session), "a broken person changes the session")
        }
    }

    private static func isSame(_ one: SessionAnswer, _ other: SessionAnswer) -> Bool {
        one.access == other.access && one.refresh == other.refresh && one.lasts == other.lasts
            && one.endsAt == other.endsAt && one.providerTokens == other.providerTokens
    }

    static func demandUser(_ document: JSON) throws(Disagreement) {
        for document in [document, document["user"]].compactMap(\.self) {
            let outcome = try Canary.outcome { () throws(JSONError) in try SupabaseUser(document) }
            guard case .success(let user) = outcome else { continue }
            try demand(!user.id.isEmpty && document["id"] == .string(user.id), "a person has another id than came")
            try demand(user.json == document, "a person is not kept whole")
            try demand(
                user.email?.isEmpty != true && user.phone?.isEmpty != true, "an empty text counts as an address")
            for id in user.factors.map(\.id) + user.identities.map(\.id) { try demandPlain(id) }
        }
    }

    static func demandOffers(_ document: JSON) throws(Disagreement) {
        if case .success(let begun) = try Canary.outcome({ () throws(JSONError) in try SupabaseEnrolment(document) }) {
            try demandPlain(begun.id)
            try Canary.demandHidden(begun.uri as Any)
            try Canary.demandHidden(begun.secret as Any)
        }
        _ = try Canary.outcome { () throws(JSONError) in try SupabasePasskey.list(document) }
        _ = try Canary.outcome { () throws(JSONError) in try FactorOffer(document) }
        _ = try Canary.outcome { () throws(JSONError) in try PasskeyOffer(document) }
    }

    /// Checks that the ID can be used in a path as it is.
    private static func demandPlain(_ id: String) throws(Disagreement) {
        let isPlain = id.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D
        }
        try demand(isPlain && !id.isEmpty, "an id would break its path")
    }

    static func demandRefusal(_ response: TransportResponse, looks: Bool) throws(Disagreement) {
        let answer = ErrorAnswer(response)
        try demand(answer.seconds.map { (0...86_400).contains($0) } ?? true, "a wait is out of bounds")
        if let code = answer.code {
            try demand(
                (1...64).contains(code.rawValue.utf8.count)
                    && code.rawValue.utf8.allSatisfy {
                        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
                    }, "a code is none")
        }
        for word in answer.weaknesses + [answer.requestID].compactMap(\.self) {
            try demand(
                word.utf8.count <= 64 && word.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "free text is passed on")
        }
        let error = SupabaseFailure(answer: answer, retryAfter: nil).authError("supabase")
        if looks {
            try Canary.demandHidden(error)
            try Canary.demandHidden(answer)
        }
        if RefreshVerdict(answer) == .gone { try demandEnd(response) }
    }

    /// Checks by other code whether an answer may end a session.
    private static func demandEnd(_ response: TransportResponse) throws(Disagreement) {
        try demand([400, 403].contains(response.status), "HTTP \(response.status) ends a session")
        let body = AnswerRules.document(response.body)
        let header = response.fields["x-sb-error-code"]
        if body?["error"]?.string == "invalid_grant", header == nil {
            return try demand(response.status == 400, "the OAuth shape ends a session by HTTP \(response.status)")
        }
        let words = [body?["code"]?.string, body?["error_code"]?.string, header].compactMap(\.self)
        try demand(
            words.contains { word in ends.contains { $0.utf8.elementsEqual(word.utf8) } }, "no code ends a session")
        let isNew = body?["code"]?.string != nil && body?["message"]?.string != nil
        let isOld = body?["code"]?.integer != nil && body?["msg"]?.string != nil
        try demand(header != nil || isNew || isOld, "somebody before the service ends a session")
    }
}
