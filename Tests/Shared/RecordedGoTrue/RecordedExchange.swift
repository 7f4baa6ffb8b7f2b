import FoundationEssentials
package import Latchkey
import LatchkeyCrypto
package import LatchkeyJSON

/// One request to a real GoTrue, and its answer. The files hold scratch accounts and keys of a run on loopback, all dead.
package struct RecordedExchange: Sendable {
    /// What the file is about: `password`, `refresh-v2`.
    package var topic: String
    /// What the exchange shows, unique within its file.
    package var name: String
    /// When the answer came, in seconds since 1970 by the recorder's clock.
    package var at: Double
    /// The request's method.
    package var method: String
    /// The request's whole address.
    package var url: String
    /// The request's header.
    package var fields: HeaderFields
    /// The request's body, where it is JSON.
    package var body: JSON?
    /// The request's body as it is, where it is none.
    package var raw: String?
    /// The answer.
    package var response: TransportResponse

    /// Topic and name: one exchange among all.
    package var title: String { "\(topic)/\(name)" }
    /// The answer's body, where it is JSON.
    package var answer: JSON? { try? JSON.parse(response.body) }

    /// What the files are about, in alphabetical order.
    package static func topics() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).sorted()
            .compactMap { file in
                let isRecording = file.hasPrefix("gotrue-") && file.hasSuffix(".json")
                return isRecording ? String(file.dropFirst("gotrue-".count).dropLast(".json".count)) : nil
            }
    }

    /// The exchanges of one file, in its order.
    package static func read(_ topic: String) throws -> [RecordedExchange] {
        let bytes = Array(try Data(contentsOf: folder.appending(path: "gotrue-\(topic).json")))
        return try JSONField(try JSON.parse(bytes))["exchanges"].array().map { try RecordedExchange($0, topic) }
    }

    /// Every exchange of every file.
    package static func all() throws -> [RecordedExchange] { try topics().flatMap(read) }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Recorded")

    private init(_ field: JSONField, _ topic: String) throws {
        let (request, response) = (field["request"], field["response"])
        self.topic = topic
        name = try field["name"].string()
        method = try request["method"].string()
        url = try request["url"].string()
        fields = HeaderFields()
        for (name, value) in try request["headers"].optional?.object() ?? [:] {
            if let value = value.string { fields.add(name, value) }
        }
        body = request.value?["json"]
        raw = request.value?["raw"]?.string
        var answered = HeaderFields()
        for line in try response["headers"].array() {
            let parts = try line.array()
            answered.add(try parts[0].string(), try parts[1].string())
        }
        self.response = TransportResponse(
            status: Int(try response["status"].integer()), fields: answered,
            body: Array((try response["body"].optional?.string() ?? "").utf8))
        // Files that do not say when have tokens that do.
        let answer = try? JSON.parse(self.response.body)
        let issued = answer?["access_token"]?.string.flatMap(Self.claims)?["iat"]?.number
        at = try field["received_at"].optional?.number() ?? issued.map { $0 + 0.5 } ?? field["received_at"].number()
    }

    /// The claims of a token, not checked.
    package static func claims(_ token: String) -> JSON? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        return (try? Base64URL.decode(parts[1])).flatMap { try? JSON.parse($0) }
    }
}
