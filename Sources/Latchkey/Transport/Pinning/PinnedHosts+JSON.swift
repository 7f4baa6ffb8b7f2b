import FoundationEssentials
import LatchkeyJSON

extension PinnedHosts {
    /// Reads pins from a JSON document, such as a file of the app.
    ///
    /// ```json
    /// {
    ///   "hosts": [
    ///     {
    ///       "host": "id.example.com",
    ///       "coversSubdomains": false,
    ///       "pins": ["x9SZw6TwIqfmvrLZ/kz1o0Ossjmn728BnBKpUFqGNVM="],
    ///       "backups": ["58qRu/uxh4gFezqAcERupSkRYBlBAvfcw7mEjGPLnNU="],
    ///       "expiry": "2027-06-30T00:00:00Z",
    ///       "mode": "enforce"
    ///     }
    ///   ]
    /// }
    /// ```
    ///
    /// Each member of a host is that of ``HostPins``; `coversSubdomains` and `mode` may be absent.
    ///
    /// - Throws: `configuration(.invalid)`; the message names the place and what is wrong. A member with another name
    ///   is refused, because a slip of the pen must not weaken the pins.
    public init(json: [UInt8]) throws(AuthError) {
        let hosts: [HostPins]
        do {
            let document = JSONField(try JSON.parse(json))
            try Self.refuseOthers(in: document, than: ["hosts"])
            hosts = try document["hosts"].array().map(Self.host)
        } catch let error as AuthError {
            throw error
        } catch {
            throw AuthError(.configuration(.invalid), "The pins cannot be read: \(error).")
        }
        try self.init(hosts)
    }

    private static func host(_ field: JSONField) throws -> HostPins {
        try refuseOthers(in: field, than: ["host", "coversSubdomains", "pins", "backups", "expiry", "mode"])
        let expiry = try field["expiry"].string()
        guard let date = try? Date.ISO8601FormatStyle().parse(expiry), expiry.hasSuffix("Z") else {
            throw refusal(field["expiry"], "A time is written like 2027-06-30T00:00:00Z.")
        }
        let mode = try field["mode"].optional?.string() ?? HostPins.Mode.enforce.rawValue
        guard let mode = HostPins.Mode(rawValue: mode) else {
            throw refusal(field["mode"], "The mode is \"enforce\" or \"reportOnly\".")
        }
        let (host, covers) = (try field["host"].string(), try field["coversSubdomains"].optional?.bool() ?? false)
        let (pins, backups) = (try field["pins"].array().map(pin), try field["backups"].array().map(pin))
        do {
            return try HostPins(
                host, coversSubdomains: covers, pins: pins, backups: backups, expiry: date, mode: mode)
        } catch {
            throw refusal(field, error.message)
        }
    }

    private static func pin(_ field: JSONField) throws -> PublicKeyPin {
        let text = try field.string()
        do { return try PublicKeyPin(base64: text) } catch { throw refusal(field, error.message) }
    }

    private static func refuseOthers(in field: JSONField, than known: Set<String>) throws {
        guard let other = try field.object().keys.filter({ !known.contains($0) }).min() else { return }
        // A slip of the pen is a word. Anything else may be something that does not belong into a message.
        let isWord =
            other.utf8.count <= 40 && other.utf8.allSatisfy { ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || $0 == 0x5F }
        throw refusal(
            field, isWord ? "No member is called \"\(other)\"." : "A member has a name that pins do not have.")
    }

    private static func refusal(_ field: JSONField, _ why: String) -> AuthError {
        AuthError(.configuration(.invalid), "The pins cannot be read at \(field.path): \(why)")
    }
}
