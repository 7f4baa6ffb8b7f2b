public import FoundationEssentials
public import Latchkey
public import LatchkeyJSON

extension JSONService {
    /// A successful answer of the service. Its description shows only the status.
    public struct Answer: Sendable {
        /// The status, from 200 to 299.
        public let status: Int
        /// The header fields.
        public let fields: HeaderFields
        /// The body: an object or an array.
        public let body: JSON

        init(_ response: TransportResponse, body: JSON) {
            (status, fields, self.body) = (response.status, response.fields, body)
        }

        /// Returns the member called `name` for strict reading: ``/LatchkeyJSON/JSONError`` says
        /// what is missing, and becomes `untrusted(.malformed)`.
        public subscript(name: String) -> JSONField { JSONField(body)[name] }

        /// Returns the time that the service's clock showed; `nil` if the answer does not say it in
        /// a form of [RFC 9110, section
        /// 5.6.7](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7).
        ///
        /// - Parameter now: Decides the century of a two-digit year.
        public func date(now: Date) -> Date? { fields["Date"].flatMap { HTTPDate.read($0, now: now) } }
    }
}

extension JSONService.Answer: CustomStringConvertible, CustomReflectable {
    /// The status.
    public var description: String { "answer with HTTP status \(status)" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
