import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyTesting

@testable import LatchkeySupabase

/// One request and its answer, as a real server gave it on loopback. Its accounts and keys are dead.
struct Exchange: Sendable {
    /// The file's name and the exchange's own.
    var name: String
    var method: String
    var url: String
    var sent: JSON
    var response: HTTPResponse

    /// Every exchange of every file.
    static func all() throws -> [Exchange] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Recorded")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).sorted()
        return try files.flatMap { file in
            let topic = file.dropFirst("gotrue-".count).dropLast(".json".count)
            let bytes = Array(try Data(contentsOf: folder.appending(path: file)))
            return try JSONField(try JSON.parse(bytes))["exchanges"].array().map { try Exchange($0, topic) }
        }
    }

    private init(_ field: JSONField, _ topic: Substring) throws {
        let (request, response) = (field["request"], field["response"])
        name = "\(topic)/\(try field["name"].string())"
        method = try request["method"].string()
        url = try request["url"].string()
        sent = request["json"].value ?? .null
        var fields = HTTPFields()
        for line in try response["headers"].array() {
            let parts = try line.array()
            fields.add(try parts[0].string(), try parts[1].string())
        }
        self.response = HTTPResponse(
            status: Int(try response["status"].integer()), fields: fields,
            body: Array(try response["body"].string().utf8))
    }

    var location: String { response.fields["Location"] ?? "" }

    var isRefresh: Bool { url.hasSuffix("/token?grant_type=refresh_token") }

    /// The same without a member of the answer, `a.b` being `b` of `a`, or without a parameter of the redirect.
    func without(_ member: String) throws -> Exchange {
        var copy = self
        if location.isEmpty {
            let path = member.split(separator: ".").map(String.init)
            copy.response.body = try JSON.parse(response.body).without(path[...]).serialized()
        } else {
            let kept = location.split(separator: "?", omittingEmptySubsequences: false).map { part in
                part.split(separator: "#", omittingEmptySubsequences: false).map { part in
                    part.split(separator: "&").filter { !$0.hasPrefix("\(member)=") }.joined(separator: "&")
                }.joined(separator: "#")
            }
            copy.response.fields["Location"] = kept.joined(separator: "?")
        }
        return copy
    }
}

extension JSON {
    fileprivate func without(_ path: ArraySlice<String>) -> JSON {
        // The members of a list are all alike.
        if let elements = array { return .array(elements.map { $0.without(path) }) }
        guard var members = object, let first = path.first else { return self }
        members[first] = path.count == 1 ? nil : members[first]?.without(path.dropFirst())
        return .object(members)
    }
}
