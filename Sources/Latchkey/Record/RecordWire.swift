import FoundationEssentials
import LatchkeyJSON

/// The names of members in stored records, format 1.
enum RecordWire {
    static let kind = "kind"
    static let format = "format"

    /// Reads a stored document: JSON of the given kind.
    ///
    /// - Throws: ``AuthError`` `store(.damaged)`, naming the path of what is wrong and never a content.
    static func open(_ bytes: [UInt8], kind expected: String) throws(AuthError) -> JSONField {
        do throws(JSONError) {
            let document = JSONField(try JSON.parse(bytes, limits: JSONLimits(bytes: 16 << 20)))
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

    /// The members of `document` that are not in `known`.
    static func rest(of document: JSONField, without known: Set<String>) -> [String: JSON] {
        (document.value?.object ?? [:]).filter { !known.contains($0.key) }
    }
}

extension JSON {
    /// An object of the members that have a value.
    static func members(_ members: [String: JSON?], adding unknown: [String: JSON] = [:]) -> JSON {
        .object(unknown.merging(members.compactMapValues { $0 }) { _, known in known })
    }

    static func nanoseconds(_ duration: Duration) -> JSON { .integer(duration.wholeNanoseconds) }

    static func date(_ date: Date) -> JSON { .number(date.timeIntervalSince1970) }

    /// The secret's bytes; those that are no UTF-8 as an array of numbers.
    static func secret(_ secret: Secret) -> JSON {
        let bytes = secret.reveal()
        if !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) { return .string(text) }
        return .array(bytes.map { .integer(Int64($0)) })
    }
}

extension JSONField {
    func duration() throws(JSONError) -> Duration { .nanoseconds(try integer()) }

    func date() throws(JSONError) -> Date { Date(timeIntervalSince1970: try number()) }

    func secret() throws(JSONError) -> Secret {
        if value?.array == nil { return Secret(try string()) }
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
    func list() throws(JSONError) -> [JSONField] { try optional?.array() ?? [] }
}
