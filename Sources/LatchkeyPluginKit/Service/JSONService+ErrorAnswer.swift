public import Latchkey
public import LatchkeyJSON

extension JSONService {
    /// An answer with a status from 400 to 499 other than 429, from the service or from a gateway in front of it.
    ///
    /// The provider reads the service's own code from ``body``, and lists the codes that it knows.
    /// Its description shows only the status.
    public struct ErrorAnswer: Error, Sendable {
        /// The status.
        public let status: Int
        /// The header fields.
        public let fields: HeaderFields
        /// The body, if it is a JSON object. Otherwise null: a gateway answered, or the service gave no reason.
        public let body: JSON
        /// How long to wait before another try, if the answer says so.
        public let retryAfter: Duration?
        /// The service's own ID of the request, if it is a word of at most 64 letters, digits and `-_.:=`.
        public let requestID: String?
        /// The provider whose service answered.
        public let provider: ProviderID

        /// The answer as one that is not the service's.
        public let foreign: ForeignAnswer
        private let request: TransportRequest?

        init(_ response: TransportResponse, of service: JSONService, to request: TransportRequest?, _ parsed: JSON) {
            status = response.status
            fields = response.fields
            body = parsed.object == nil ? .null : parsed
            foreign = ForeignAnswer(response, from: request?.url ?? service.base)
            self.request = request
            retryAfter = RetryAfter.read(response.fields, now: service.context.serverNow)
            requestID = service.requestIDField.flatMap { response.fields[$0] }.flatMap(Self.plain)
            provider = service.provider
        }

        /// Returns an error for this answer, with its wait and its request ID.
        ///
        /// - Parameters:
        ///   - code: What the caller can do about it.
        ///   - message: One sentence. It must hold nothing of the answer's text.
        ///   - serviceCode: One of the codes that the provider knows. Never pass on the answer's text
        ///     unchecked.
        public func error(_ code: AuthError.Code, _ message: String, serviceCode: String? = nil) -> AuthError {
            AuthError(
                code, message, provider: provider, retryAfter: retryAfter, requestID: requestID,
                serviceCode: serviceCode)
        }

        /// The error if something else than the service answered: nothing is known about the session.
        public var foreignError: AuthError {
            var error = AuthError(foreign, provider: provider, retryAfter: retryAfter)
            error.requestID = requestID
            return error
        }

        /// Returns what the service says to the person, without anything that was sent; `nil` if nothing is left.
        ///
        /// - Parameters:
        ///   - names: The members that may hold the sentence; the first one that is a text counts.
        ///   - entry: The object that has them; `nil` for the body.
        public func text(_ names: [String], in entry: JSON? = nil) -> ServiceText? {
            ServiceText(in: entry ?? body, names, to: request)
        }

        private static func plain(_ text: String) -> String? {
            let isPlain = text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || "-_.:=".utf8.contains($0)
            }
            return isPlain && (1...64).contains(text.utf8.count) ? text : nil
        }
    }
}

extension JSONService.ErrorAnswer: CustomStringConvertible, CustomReflectable {
    /// The status.
    public var description: String { "error answer with HTTP status \(status)" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
