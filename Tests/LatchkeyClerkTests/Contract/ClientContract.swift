import Foundation
import LatchkeyJSON

/// The members of Clerk's resources as its own clients decode them: clerk-ios 1.4.1 (Codable), clerk-android 1.1.3
/// (kotlinx.serialization) and clerk-js 6.40 (`fromJSON`). The facts are in `Specified/members.json`: for each resource and
/// member the type, and who needs it. `I` and `A`: iOS and Android need a value. `K`: Android needs the key. `J`:
/// clerk-js reads a value that may not be null. `j`: clerk-js reads it, and the key has to be there.
struct ClientContract: Sendable {
    struct Member: Sendable {
        var type: String
        var needs: String
        /// The only value.
        var value: String?
    }

    /// What a check has found.
    struct Finding: Sendable {
        var resources = Set<String>()
        var members = 0
        var missing: [String] = []
        var wrong: [String] = []

        static func += (all: inout Self, one: Self) {
            all.resources.formUnion(one.resources)
            all.members += one.members
            all.missing += one.missing.filter { !all.missing.contains($0) }
            all.wrong += one.wrong.filter { !all.wrong.contains($0) }
        }

        var line: String {
            "resources=\(resources.count) members=\(members) missing=\(missing.count) wrong_type=\(wrong.count)"
        }
    }

    let resources: [String: [String: Member]]

    static let clerk = Self(reading: "members.json")
    /// The resources of the Backend API: `j` and `J` as `@clerk/backend` 3.25 declares them, `K` and `A` as
    /// clerk-sdk-python 6.0.1 demands them.
    static let backend = Self(reading: "backend.json")

    init(reading name: String) {
        resources = (Self.file(name).object ?? [:]).mapValues { members in
            (members.object ?? [:]).mapValues { entry in
                let parts = (entry.array ?? []).map { $0.string ?? "" }
                return Member(type: parts[0], needs: parts[1], value: parts.count > 2 ? parts[2] : nil)
            }
        }
    }

    static func file(_ name: String) -> JSON {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let data = (try? Data(contentsOf: folder.appending(path: "Specified/\(name)"))) ?? Data()
        return (try? JSON.parse(Array(data), limits: JSONLimits(bytes: 1 << 22, depth: 64))) ?? .null
    }

    /// Whose needs are looked at, of `ios`, `android` and `js`.
    var clients = "ios android js"

    private func isNeeded(_ member: Member, _ kinds: String) -> Bool {
        let own = [("ios", "I"), ("android", "AK"), ("js", "Jj")].filter { clients.contains($0.0) }.map(\.1).joined()
        return member.needs.contains { kinds.contains($0) && own.contains($0) }
    }

    /// Compares a value with what the clients decode there: the name of a resource, or a type.
    func check(_ json: JSON, as type: String, at place: String, _ found: inout Finding) {
        if type.hasPrefix("array of ") || type.hasPrefix("paginated of ") {
            let isPage = type.hasPrefix("paginated")
            let item = String(type.split(separator: " of ", maxSplits: 1).last ?? "").replacing(
                "2 integers", with: "integer")
            if isPage { check(json, as: "paginated", at: place, &found) }
            guard let items = isPage ? json["data"]?.array : json.array else {
                found.wrong.append("\(place): no list")
                return
            }
            for entry in items { check(entry, as: item, at: "\(place)[]", &found) }
        } else if type.hasPrefix("map of ") {
            guard let entries = json.object else {
                found.wrong.append("\(place): no map")
                return
            }
            for (_, entry) in entries { check(entry, as: String(type.dropFirst(7)), at: "\(place).*", &found) }
        } else if let members = resources[type] {
            check(json, members, type, at: place, &found)
        } else if !Self.fits(json, type) {
            found.wrong.append("\(place): no \(type)")
        }
    }

    private func check(
        _ json: JSON, _ members: [String: Member], _ type: String, at place: String, _ found: inout Finding
    ) {
        guard let object = json.object else {
            found.wrong.append("\(place): no \(type)")
            return
        }
        found.resources.insert(type)
        for (name, member) in members {
            found.members += 1
            let value = object[name]
            guard let value, value != .null else {
                if isNeeded(member, "IAJ") || value == nil && isNeeded(member, "Kj") {
                    found.missing.append("\(type).\(name) (\(member.needs)) at \(place)")
                }
                continue
            }
            if let only = member.value, value.string != only { found.wrong.append("\(place).\(name): not \(only)") }
            check(value, as: member.type, at: "\(place).\(name)", &found)
        }
    }

    private static func fits(_ json: JSON, _ type: String) -> Bool {
        switch type {
        case "string": json.string != nil
        case "integer": json.integer != nil
        case "boolean": json.bool != nil
        case "object": json.object != nil
        default: true
        }
    }
}

/// A request that one of Clerk's clients sends (`Specified/requests.json`).
struct ClientRequest: Sendable {
    var name: String
    var method: String
    var path: String
    var fields: [String]
    /// Whether clerk-js names the method in the query.
    var isTunnelled: Bool
    var isMultipart: Bool
    /// What the clients decode, and whether from the envelope.
    var expects: [(who: String, what: String, enveloped: Bool)]

    static let all: [Self] = (ClientContract.file("requests.json").array ?? []).map { entry in
        Self(
            name: entry["name"]?.string ?? "", method: entry["method"]?.string ?? "", path: entry["path"]?.string ?? "",
            fields: (entry["fields"]?.array ?? []).compactMap(\.string), isTunnelled: entry["tunnelled"] == true,
            isMultipart: entry["multipart"] == true,
            expects: (entry["expects"]?.array ?? []).map { expected in
                let parts = expected.array ?? []
                return (parts[0].string ?? "", parts[1].string ?? "", parts[2] == true)
            })
    }

    /// Whether the request was sent to this path, such as `/client/sign_ins/sia_1`.
    func fits(_ method: String, _ sent: String) -> Bool {
        let own = path.split(separator: "/").drop { $0 == "v1" }
        let other = sent.split(separator: "/")
        return self.method == method && own.count == other.count
            && zip(own, other).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
    }

    /// Compares an answer with what each client decodes, the piggybacked client included.
    func check(_ answer: RawAnswer, _ found: inout ClientContract.Finding) {
        var contract = ClientContract.clerk
        for (who, what, enveloped) in expects where !what.hasPrefix("(") {
            contract.clients = who
            guard let body = enveloped ? answer.json["response"] : answer.json else {
                found.missing.append("\(name): response")
                continue
            }
            for (word, type) in Self.meanings(of: what, body) {
                contract.check(body, as: type, at: "\(name)\(word)", &found)
            }
        }
        contract.clients = "ios android js"
        if let client = answer.json["client"], client != .null {
            contract.check(client, as: "client", at: "client", &found)
        }
    }

    /// The resource that an expectation in words means for this body.
    private static func meanings(of what: String, _ body: JSON) -> [(String, String)] {
        switch what {
        case "client or null", "session_token or null", "environment or nothing":
            return body == .null ? [] : [("", String(what.split(separator: " ")[0]))]
        case "magic_link_ticket or sign_up": return [("", body["ticket"] == nil ? "sign_up" : "magic_link_ticket")]
        case "backup_codes", "paginated": return [("", what)]
        default:
            if what.hasPrefix("bare object") || what.hasPrefix("object") { return [("", "object")] }
            return [("", what.replacing(" (enveloped or bare)", with: ""))]
        }
    }
}
