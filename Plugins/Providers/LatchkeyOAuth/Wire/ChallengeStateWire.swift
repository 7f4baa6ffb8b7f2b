import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// What a visit must keep to continue after the redirect.
struct VisitState: Sendable {
    /// The authorization request.
    var transaction: AuthorizationTransaction
    /// The audience of the first token.
    var first = FirstAudience(.standard)
    /// Acceptable authentication contexts of a step-up.
    var acr: [String] = []
    /// The person who must sign in at a step-up.
    var subject: String?
    /// Whether the provider chose the scopes, because the call and the configuration name none.
    var choosesScopes = false
    /// The person who must sign in, by a name that people use.
    var person: String?

    private enum Member {
        static let choosesScopes = "own_scopes"
        static let transaction = "transaction"
        static let acr = "acr"
        static let subject = "subject"
        static let person = "person"
    }

    var json: JSON {
        var members: [String: JSON] = [Member.transaction: transaction.json]
        members.merge(first.members) { $1 }
        members[Member.acr] = acr.isEmpty ? nil : .array(acr.map(JSON.string))
        members[Member.subject] = subject.map(JSON.string)
        members[Member.choosesScopes] = choosesScopes ? true : nil
        members[Member.person] = person.map(JSON.string)
        return .object(members)
    }
}

extension VisitState {
    init(_ json: JSON) throws(AuthError) {
        do throws(JSONError) {
            transaction = try AuthorizationTransaction(
                json: try JSON.object(JSONField(json)[Member.transaction].object()))
        } catch {
            throw error.authError(in: "stored sign-in")
        }
        first = FirstAudience(json)
        acr = json[Member.acr]?.array?.compactMap(\.string) ?? []
        subject = json[Member.subject]?.string
        choosesScopes = json[Member.choosesScopes]?.bool ?? false
        person = json[Member.person]?.string
    }
}

/// What a device sign-in must keep to continue polling.
struct DeviceState: Sendable {
    /// The device code to poll with.
    var deviceCode: Secret
    /// The verifier of the proof key, if the service was sent a challenge.
    var verifier: Secret?
    /// The least time between two polls: the service's, and 5 seconds for each `slow_down`.
    var interval: Duration
    /// The scopes that were asked for.
    var scopes: [String]
    /// The resources that tokens can be requested for later.
    var resources: [String] = []
    /// The audience of the first token.
    var first = FirstAudience(.standard)
    /// The person who must sign in, by a name that people use.
    var person: String?
    /// Whether the answer to the last poll is lost. The service may have given the tokens with it.
    var hasLostAnswer = false
    /// How many of the last polls running were answered by something else, which sent them on or knew no such address.
    var strays = 0

    /// After so many the polling ends.
    static let mostStrays = 3

    private enum Member {
        static let strays = "strays"
        static let hasLostAnswer = "lost_answer"
        static let person = "person"
        static let deviceCode = "device_code"
        static let verifier = "code_verifier"
        static let interval = "interval"
        static let scopes = "scopes"
        static let resources = "resources"
    }

    var json: JSON {
        var members: [String: JSON] = [
            Member.deviceCode: .string(deviceCode.revealText()), Member.interval: .number(interval.inSeconds),
            Member.scopes: .array(scopes.map(JSON.string)), Member.resources: .array(resources.map(JSON.string)),
        ]
        members.merge(first.members) { $1 }
        members[Member.verifier] = verifier.map { .string($0.revealText()) }
        members[Member.hasLostAnswer] = hasLostAnswer ? true : nil
        members[Member.strays] = strays > 0 ? .integer(Int64(strays)) : nil
        members[Member.person] = person.map(JSON.string)
        return .object(members)
    }
}

extension DeviceState {
    init(_ json: JSON) throws(AuthError) {
        do throws(JSONError) {
            let record = JSONField(json)
            deviceCode = Secret(try record[Member.deviceCode].string())
            let verifier: String? = try record[Member.verifier].optional?.string()
            self.verifier = verifier.map { Secret($0) }
            interval = .seconds(min(max(try record[Member.interval].number(), 1), 3_600))
        } catch {
            throw error.authError(in: "stored sign-in")
        }
        scopes = json[Member.scopes]?.array?.compactMap(\.string) ?? []
        resources = json[Member.resources]?.array?.compactMap(\.string) ?? []
        first = FirstAudience(json)
        person = json[Member.person]?.string
        hasLostAnswer = json[Member.hasLostAnswer]?.bool ?? false
        strays = min(max(json[Member.strays]?.integer.map { Int(clamping: $0) } ?? 0, 0), Self.mostStrays)
    }
}

extension FirstAudience {
    private enum Member {
        static let audience = "audience"
        static let isOnlyResource = "only_resource"
    }

    /// The members of a stored sign-in.
    fileprivate var members: [String: JSON] {
        var members: [String: JSON] = [:]
        members[Member.audience] = audience == .standard ? nil : .string(audience.name)
        members[Member.isOnlyResource] = isOnlyResource ? true : nil
        return members
    }

    fileprivate init(_ json: JSON) {
        self.init(
            json[Member.audience]?.string.map { Audience($0) } ?? .standard,
            isOnlyResource: json[Member.isOnlyResource]?.bool ?? false)
    }
}
