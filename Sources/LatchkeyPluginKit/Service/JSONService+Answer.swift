public import FoundationEssentials
public import Latchkey
public import LatchkeyJSON

extension JSONService {
    /// What the service answered when it did what it was asked for. Prints its status only.
    public struct Answer: Sendable {
        /// The status, from 200 to 299.
        public let status: Int
        /// The header fields.
        public let fields: HeaderFields
        /// The content: an object or an array.
        public let body: JSON

        init(_ response: TransportResponse, body: JSON) {
            (status, fields, self.body) = (response.status, response.fields, body)
        }

        /// The member called `name`, to be read strictly: ``/LatchkeyJSON/JSONError`` names what is missing, and becomes
        /// `untrusted(.malformed)`.
        public subscript(name: String) -> JSONField { JSONField(body)[name] }

        /// What the service's clock showed; `nil` where the answer does not say it, or not in a form of
        /// [RFC 9110, section 5.6.7](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7).
        ///
        /// - Parameter now: Settles the century of a year with two digits.
        public func date(now: Date) -> Date? { fields["Date"].flatMap { HTTPDate.read($0, now: now) } }
    }
}

extension JSONService.Answer: CustomStringConvertible, CustomReflectable {
    /// The status.
    public var description: String { "answer with HTTP status \(status)" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
