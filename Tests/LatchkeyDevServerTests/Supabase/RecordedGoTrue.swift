import Latchkey
import LatchkeyJSON
import RecordedGoTrue

/// What a walk wants to know of a recorded exchange.
extension RecordedExchange {
    /// Which of the recorded instances it was, by its port; every one was on `http://127.0.0.1`.
    var port: Int { Int(url.dropFirst(Self.host.count).prefix { $0 != "/" }) ?? 0 }
    /// Path and query.
    var target: String { String(url.dropFirst(Self.host.count).drop { $0 != "/" }) }
    var status: Int { response.status }
    var sentFields: [(name: String, value: String)] { fields.lines }
    var answerFields: [(name: String, value: String)] { response.fields.lines }
    var answerBody: String { String(decoding: response.body, as: UTF8.self) }
    var refreshToken: String? { body?["refresh_token"]?.string }
    var bearer: String? { fields["Authorization"].map { String($0.dropFirst("Bearer ".count)) } }

    private static let host = "http://127.0.0.1:"

    func answerField(_ name: String) -> String? { response.fields[name] }

    /// The exchanges of a file, in the order in which the service acted on them.
    static func walked(_ topic: String) throws -> [RecordedExchange] {
        let exchanges = try read(topic)
        guard topic == "refresh-race" else { return exchanges }
        // Sent at once: the one that rotated is the one that was first.
        let isFirst = { (exchange: RecordedExchange) in exchange.answerField("Sb-Auth-Refresh-Token-Reuse") != nil }
        return exchanges.filter(isFirst) + exchanges.filter { !isFirst($0) }
    }
}
