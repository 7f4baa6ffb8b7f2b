import FoundationEssentials
import LatchkeyJSON

/// The names of members in stored records, format 1.
enum RecordWire {
    static let kind = "kind"
    static let format = "format"

    /// Reads a stored document: JSON of the given kind. It uses the SDK's own reader on every
    /// platform, since the format is its own and each change of a session reads it.
    ///
    /// - Throws: ``AuthError`` `store(.damaged)`, which names the path of what is wrong and never its content.
    static func open(_ bytes: [UInt8], kind expected: String) throws(AuthError) -> JSONDocument.Field {
        do throws(JSONError) {
            let document = try JSONDocument.parse(bytes, limits: JSONLimits(bytes: 16 << 20)).root
            guard try document[kind].string() == expected else { throw JSONError(.wrongType, at: "$.kind") }
            guard try document[format].integer() >= 1 else { throw JSONError(.numberRange, at: "$.format") }
            return document
        } catch {
            throw damaged(error)
        }
    }

    static func damaged(_ error: JSONError) -> AuthError {
        AuthError(.store(.damaged), "The stored record cannot be read: \(error).")
    }
}

extension JSONDraft {
    static func nanoseconds(_ duration: Duration) -> Self { .integer(duration.wholeNanoseconds) }

    static func date(_ date: Date) -> Self { .number(date.timeIntervalSince1970) }

    /// The secret as text; if it is not UTF-8 or has a zero byte, as an array of its bytes.
    static func secret(_ secret: Secret) -> Self {
        let bytes = secret.reveal()
        if !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) { return .string(text) }
        return .array(bytes.map { .integer(Int64($0)) })
    }
}

extension JSONDocument.Field {
    func duration() throws(JSONError) -> Duration { .nanoseconds(try integer()) }

    func date() throws(JSONError) -> Date { Date(timeIntervalSince1970: try number()) }

    func secret() throws(JSONError) -> Secret {
        if !isArray { return Secret(try string()) }
        var bytes: [UInt8] = []
        for element in try array() {
            guard let byte = UInt8(exactly: try element.integer()) else {
                throw JSONError(.numberRange, at: element.path)
            }
            bytes.append(byte)
        }
        return Secret(bytes)
    }

    /// The elements; none when the member is absent.
    func list() throws(JSONError) -> [Self] { try optional?.array() ?? [] }
}
