import Latchkey
import LatchkeyCrypto
@testable import LatchkeyJSON
@testable import LatchkeySupabase

extension FuzzTarget {
    /// The stored data of another Supabase client.
    static let supabaseImport = FuzzTarget(name: "supabase-import", longest: 8_192) { bytes throws(Disagreement) in
        try ImportRules.check(bytes)
        guard bytes.count & 3 == 0, let document = AnswerRules.document(bytes) else { return }
        let marked = Canary.mark(document, except: ["id"]).serialized()
        try ImportRules.check(marked)
        // A document's cookie must give the document.
        let plain = try? SupabaseImport(bytes)
        let cookie = try? SupabaseImport(Array("base64-\(Base64URL.encode(bytes))".utf8))
        try demand(
            plain.map(ImportRules.Seen.init) == cookie.map(ImportRules.Seen.init), "a cookie is read as something else")
    }
}

/// The rules for every imported session.
enum ImportRules {
    /// The values from stored bytes.
    struct Seen: Equatable {
        let subject: String
        let issuer: String?
        let refresh: Secret
        let providerTokens: [String: JSON]

        init(_ stored: SupabaseImport) {
            (subject, issuer) = (stored.subject, stored.issuer)
            (refresh, providerTokens) = (stored.refresh, stored.providerTokens)
        }
    }

    static func check(_ bytes: [UInt8]) throws(Disagreement) {
        let outcome = try Canary.outcome { () throws(AuthError) in try SupabaseImport(bytes) }
        switch outcome {
        case .failure(let error):
            try demand(error.code == .untrusted(.malformed), "bytes are refused as \(error.code.name)")
        case .success(let stored):
            try demand(!stored.subject.isEmpty, "a stored session is nobody's")
            try demand(
                !stored.refresh.isEmpty && stored.refresh.reveal().allSatisfy { (0x21...0x7E).contains($0) },
                "a stored token would break its body")
            try demandFound(stored.refresh, in: bytes)
            let shown = [stored.subject, stored.issuer ?? ""].contains { Canary.isIn(Array($0.utf8)) }
            if !shown { try Canary.demandHidden(stored) }
            try Canary.demandHidden(stored.ticket)
            let again = try Canary.outcome { () throws(AuthError) in try SupabaseImport(ticket: stored.ticket) }
            guard case .success(let carried?) = again else { throw Disagreement("a ticket cannot be read again") }
            try demand(Seen(carried) == Seen(stored), "a ticket is another session")
        }
    }

    /// Checks that the token is a whole text of the document, not a part of one.
    private static func demandFound(_ token: Secret, in bytes: [UInt8]) throws(Disagreement) {
        guard let document = AnswerRules.document(bytes) else { return }
        let records = [document, document["session"]].compactMap(\.self)
        try demand(
            records.contains { record in
                ["refresh_token", "refreshToken"].contains {
                    record[$0]?.string.map { Array($0.utf8) } == token.reveal()
                }
            }, "the refresh token is not one that was stored")
    }
}
