public import Latchkey
import LatchkeyJSON

/// The routes that ``TransportContract`` requests from a local server. Serve them with any server
/// by calling ``answer(to:)``.
///
/// | Route | Answer |
/// | --- | --- |
/// | any method, `/echo` | 200, JSON: `method`, `fields` (names in lower case, values in a list), `body` (numbers) |
/// | `/status/<n>` | the status n |
/// | `/redirect` | 302 to `/echo` |
/// | `/bytes/<n>` | 200 and n bytes |
/// | `/fields` | 200, two lines `X-Twice` with the values `one` and `two` |
/// | `/never` | no answer until the connection is closed |
public enum TransportRoutes {
    /// Returns the answer to `request`; `nil` means never answer.
    ///
    /// - Parameter request: Its `url` is the path alone.
    public static func answer(to request: TransportRequest) -> TransportResponse? {
        let parts = request.url.split(separator: "/")
        let number = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        switch parts.first {
        case "echo": return echo(request)
        case "status": return TransportResponse(status: number)
        case "redirect": return TransportResponse(status: 302, fields: ["Location": "/echo"])
        case "bytes": return TransportResponse(status: 200, body: [UInt8](repeating: 0x61, count: number))
        case "fields":
            return TransportResponse(status: 200, fields: HeaderFields([("X-Twice", "one"), ("X-Twice", "two")]))
        case "never": return nil
        default: return TransportResponse(status: 404)
        }
    }

    private static func echo(_ request: TransportRequest) -> TransportResponse {
        var fields: [String: JSON] = [:]
        for line in request.fields.lines {
            let name = line.name.lowercased()
            fields[name] = .array((fields[name]?.array ?? []) + [.string(line.value)])
        }
        let echoed: JSON = [
            "method": .string(request.method), "fields": .object(fields),
            "body": .array((request.body ?? []).map { .integer(Int64($0)) }),
        ]
        return TransportResponse(status: 200, fields: ["Content-Type": "application/json"], body: echoed.serialized())
    }
}
