import FoundationEssentials
import LatchkeyJSON

/// A challenge as it is stored, so that any process can answer it.
struct ChallengeRecord: Sendable {
    var challenge: Challenge
    /// When it was asked.
    var since: CredentialRecord.Stamp
    /// How long after ``since`` it can be answered.
    var lasts: Duration
    /// The account that the conversation is about, if it links or steps up.
    var principal: AccountID?
    /// Members that this version does not know.
    var unknown: [String: JSON] = [:]

    private static let kind = "latchkey.challenge"
    private static let known = ["kind", "format", "challenge", "since", "lasts", "principal"]

    func bytes() -> [UInt8] {
        JSONDraft.members(
            [
                "kind": .string(Self.kind), "format": .integer(1), "challenge": challenge.record(),
                "since": since.record(), "lasts": .nanoseconds(lasts),
                "principal": principal.map { .string($0.value) },
            ], adding: unknown
        ).serialized()
    }

    init(_ challenge: Challenge, since: CredentialRecord.Stamp, lasts: Duration, principal: AccountID? = nil) {
        (self.challenge, self.since, self.lasts, self.principal) = (challenge, since, lasts, principal)
    }

    init(_ bytes: [UInt8]) throws(AuthError) {
        let document = try RecordWire.open(bytes, kind: Self.kind)
        do {
            challenge = try Challenge(record: document["challenge"])
            since = try CredentialRecord.Stamp(record: document["since"])
            lasts = try document["lasts"].duration()
            principal = try document["principal"].optional.map { field throws(JSONError) in
                AccountID(try field.string())
            }
            unknown = document.members(except: Self.known)
        } catch {
            throw RecordWire.damaged(error)
        }
    }
}

extension Challenge {
    private static let known = [
        "id", "provider", "authority", "client", "ask", "expiresAt", "resendAfter", "state",
    ]

    func record() -> JSONDraft {
        .members(
            [
                "id": .string(id), "provider": .string(binding.provider.name),
                "authority": .string(binding.authority), "client": .string(binding.client), "ask": ask.record(),
                "expiresAt": expiresAt.map(JSONDraft.date), "resendAfter": resendAfter.map(JSONDraft.nanoseconds),
                "state": .value(state),
            ], adding: unknown)
    }

    init(record: JSONDocument.Field) throws(JSONError) {
        self.init(
            id: try record["id"].string(),
            binding: ProviderBinding(
                provider: ProviderID(try record["provider"].string()), authority: try record["authority"].string(),
                client: try record["client"].string()),
            ask: try Ask(record: record["ask"]), expiresAt: try record["expiresAt"].optional?.date(),
            resendAfter: try record["resendAfter"].optional?.duration(), state: record["state"].json ?? .object([:]))
        unknown = record.members(except: Self.known)
    }
}
