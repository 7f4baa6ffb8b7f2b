extension DevServer {
    /// A failure on request.
    public struct Fault: Hashable, Sendable {
        /// The kind of failure.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// The server acts on the request, or not (`acts`), and holds the answer until it is released.
            case hold
            /// The connection ends before the server acts.
            case drop
            /// The server acts on the request, then the connection ends without an answer.
            case dropAfterActing
            /// The request waits for `milliseconds`; then the server acts on it and answers.
            case delay
            /// The server does not act; it answers `status` with a JSON error. At an endpoint of the Supabase
            /// dialect, an `error` makes it an error of the service; without one it is the answer of a gateway in
            /// front of it.
            case status
            /// The server does not act; it answers `status` (429 by default) with `Retry-After: seconds`.
            case retryAfter
            /// The server does not act; it answers 400 without a body.
            case empty400
            /// The server does not act; it answers with a gateway's HTML page and `status` (502 by default).
            case html
            /// The server acts on the request; the answer breaks off in the middle of its body.
            case truncated
            /// The server acts on the request; the answer's `Date` is off by `seconds`.
            case clockSkew
            /// The request's refresh token counts as used before, so its family is revoked.
            case spentToken
            /// The server acts on the request; the answer is padded by `bytes`, by default to more than 2 MiB.
            case oversize
        }

        /// The endpoint whose requests fail.
        public var endpoint: Endpoint
        /// The grant whose requests fail; `nil` for all.
        public var grant: Grant?
        /// The kind of failure.
        public var kind: Kind
        /// The number of requests that fail, at least 1.
        public var count: Int
        /// The time of `delay`, at most 600,000.
        public var milliseconds: Int
        /// The status of `status`, `retryAfter` and `html`; 200 to 599, or `nil` for the kind's own.
        public var status: Int?
        /// The seconds of `retryAfter` and `clockSkew`.
        public var seconds: Int
        /// The error code of `status`; letters and underscores.
        public var error: String?
        /// For `hold`: whether the server acts on the request before it holds the answer.
        public var acts: Bool
        /// The size of `oversize`, at most 64 MiB.
        public var bytes = (2 << 20) + 1

        /// Creates a fault for the next `count` requests to `endpoint`.
        public init(
            _ kind: Kind, at endpoint: Endpoint, grant: Grant? = nil, count: Int = 1, milliseconds: Int = 0,
            status: Int? = nil, seconds: Int = 0, error: String? = nil, acts: Bool = true
        ) {
            self.kind = kind
            self.endpoint = endpoint
            self.grant = grant
            self.count = count
            self.milliseconds = milliseconds
            self.status = status
            self.seconds = seconds
            self.error = error
            self.acts = acts
        }
    }
}

extension DevServer.Fault {
    /// Whether its numbers are in range.
    var isValid: Bool {
        (1...1_000_000).contains(count) && (0...600_000).contains(milliseconds)
            && (0...(64 << 20)).contains(bytes)
            && status.map { (200...599).contains($0) } ?? true && abs(seconds) < 1 << 40
            && error.map { !$0.isEmpty && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "_") } } ?? true
    }
}

/// The planned faults, in order. A request gets the first one that fits it.
struct FaultPlan: Sendable {
    static let capacity = 1_000
    private var faults: [DevServer.Fault] = []

    /// Adds a fault; `false` if it is invalid or there are too many.
    mutating func add(_ fault: DevServer.Fault) -> Bool {
        guard fault.isValid, faults.count < Self.capacity else { return false }
        faults.append(fault)
        return true
    }

    mutating func clear() {
        faults = []
    }

    mutating func take(_ endpoint: DevServer.Endpoint, grant: String?) -> DevServer.Fault? {
        guard
            let index = faults.firstIndex(where: {
                $0.endpoint == endpoint && ($0.grant == nil || $0.grant?.rawValue == grant)
            })
        else { return nil }
        let fault = faults[index]
        faults[index].count -= 1
        if faults[index].count == 0 { faults.remove(at: index) }
        return fault
    }
}
