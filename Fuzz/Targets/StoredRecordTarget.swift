@testable import Latchkey
@testable import LatchkeyJSON
@testable import LatchkeyOAuth
@testable import LatchkeyOAuthCore

extension FuzzTarget {
    /// A record of the store. It must stay the same when read and written again, and keep members of a newer
    /// version.
    static let storedRecord = FuzzTarget(name: "stored-record", longest: 4_096) { bytes throws(Disagreement) in
        try demandStable(bytes) { bytes throws(AuthError) in try CredentialRecord(bytes).bytes() }
        try demandStable(bytes) { bytes throws(AuthError) in try ChallengeRecord(bytes).bytes() }
        guard let document = AnswerRules.document(bytes) else { return }
        try demandStates(document)
        guard bytes.count & 3 == 0, case let marked = Canary.mark(document) else { return }
        _ = try Canary.outcome { () throws(JSONError) in try AuthorizationTransaction(json: marked).json }
        if case .object(var members) = marked {
            // Of the right kind, so that reading continues.
            for name in ["kind", "format"] { members[name] = document[name] }
            let bytes = JSON.object(members).serialized()
            _ = try Canary.outcome { () throws(AuthError) in try CredentialRecord(bytes) }
            _ = try Canary.outcome { () throws(AuthError) in try ChallengeRecord(bytes) }
        }
    }

    private static func demandStable(
        _ bytes: [UInt8], _ again: ([UInt8]) throws(AuthError) -> [UInt8]
    ) throws(Disagreement) {
        guard case .success(let once) = try Canary.outcome({ () throws(AuthError) in try again(bytes) }) else { return }
        guard let twice = try? again(once) else { throw Disagreement("a record that was written cannot be read") }
        try demand(once == twice, "a record changes each time it is written")
        guard let before = AnswerRules.document(bytes), let after = AnswerRules.document(once) else {
            throw Disagreement("a record is read that a reader refuses")
        }
        if let lost = lost(from: before, to: after, at: "$") { throw Disagreement("a record loses \(lost)") }
    }

    /// Returns the first member of `before` that `after` lacks; null counts as absent. Single values (an instant, a
    /// lifetime, a challenge's question) have no members of their own.
    private static func lost(from before: JSON, to after: JSON, at path: String) -> String? {
        switch (before, after) {
        case (.object(let members), .object(let kept)):
            guard kept["boot"] == nil, kept["is"] == nil else { return nil }
            for (name, value) in members where value != .null {
                guard let other = kept[name] else { return "\(path).\(name)" }
                if let lost = lost(from: value, to: other, at: "\(path).\(name)") { return lost }
            }
            return nil
        case (.array(let elements), .array(let kept)):
            guard elements.count == kept.count else { return "an element of \(path)" }
            for (index, value) in elements.enumerated() {
                if let lost = lost(from: value, to: kept[index], at: "\(path)[\(index)]") { return lost }
            }
            return nil
        default: return nil
        }
    }

    /// Checks the OAuth provider's data in the states of sessions and challenges.
    private static func demandStates(_ document: JSON) throws(Disagreement) {
        let session = SessionState(document).json(over: document)
        try demand(SessionState(session).json(over: session) == session, "a session's state changes each time")
        let credential = CredentialState(document).json
        try demand(CredentialState(credential).json == credential, "a credential's state changes each time")
        if case .success(let visit) = try Canary.outcome({ () throws(AuthError) in try VisitState(document).json }) {
            try demand((try? VisitState(visit).json) == visit, "a visit's state changes each time")
        }
        if case .success(let device) = try Canary.outcome({ () throws(AuthError) in try DeviceState(document).json }) {
            try demand((try? DeviceState(device).json) == device, "a device's state changes each time")
        }
        if let claims = IDTokenClaims(kept: document) {
            if Canary.isIn(document.serialized()) { try Canary.demandHidden(claims) }
        }
    }
}
