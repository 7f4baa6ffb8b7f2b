import Foundation
import Latchkey

/// What one server answered, in order.
struct ServerRecording: Sendable {
    let name: String
    let answers: [ServerAnswer]
    /// The server's documents by the issuer that they name. Some servers ran more than once, each with another port.
    let documents: [String: TransportResponse]
    /// All keys that the server showed, in one set: it has replaced some of them meanwhile.
    let keys: [UInt8]?
    /// The names of those keys.
    let keyNames: Set<String>

    init(_ name: String, _ answers: [ServerAnswer]) {
        (self.name, self.answers) = (name, answers)
        let found = answers.filter { $0.place == .document && $0.method == "GET" }
        documents = Dictionary(
            found.compactMap { answer in answer.issuerNamed.flatMap { name in answer.response.map { (name, $0) } } },
            uniquingKeysWith: { first, _ in first })
        var set: [NSDictionary] = []
        for answer in answers where answer.place == .keys {
            for key in answer.members?["keys"] as? [NSDictionary] ?? [] where !set.contains(key) { set.append(key) }
        }
        keyNames = Set(set.compactMap { $0["kid"] as? String })
        keys = set.isEmpty ? nil : (try? JSONSerialization.data(withJSONObject: ["keys": set])).map { Array($0) }
    }

    /// Reads `NAME.json` of a folder.
    init(_ name: String, in folder: String) throws {
        let bytes = try Data(contentsOf: URL(filePath: folder).appending(path: "\(name).json"))
        let all = try JSONSerialization.jsonObject(with: bytes) as? [String: Any]
        let entries = all?["exchanges"] as? [[String: Any]] ?? []
        self.init(name, entries.compactMap { ServerAnswer($0, of: name) })
        guard answers.count == entries.count else { throw CocoaError(.fileReadCorruptFile) }
    }

    /// The issuer of the server that was asked for `answer`; `nil` if it has no document.
    func issuer(of answer: ServerAnswer) -> String? {
        let origin = WebAddress(answer.url)?.origin
        return documents.keys.sorted().first { WebAddress($0)?.origin == origin }
    }
}
