extension DevServer {
    /// Something that goes wrong on request.
    public struct Fault: Hashable, Sendable {
        /// What goes wrong.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// The request is acted on, or not (`acts`), and its answer waits for a release.
            case hold
            /// The connection ends before anything was done.
            case drop
            /// The request is acted on, then the connection ends without an answer.
            case dropAfterActing
            /// The request waits for `milliseconds`, then is acted on and answered.
            case delay
            /// Nothing is done; the answer is `status` with a JSON error. At an endpoint of the Supabase dialect a named
            /// `error` gives an error of the service, and none the answer of a gateway before it.
            case status
            /// Nothing is done; the answer is `status` (429 by default) with `Retry-After: seconds`.
            case retryAfter
            /// Nothing is done; the answer is 400 without a body.
            case empty400
            /// Nothing is done; the answer is a gateway's HTML page with `status` (502 by default).
            case html
            /// The request is acted on; the answer breaks off in the middle of its body.
            case truncated
            /// The request is acted on; the answer's `Date` is off by `seconds`.
            case clockSkew
            /// The refresh token of the request counts as used before, and its family is dead.
            case spentToken
            /// The request is acted on; the answer is padded by `bytes`, by default to more than 2 MiB.
            case oversize
        }

        /// Whose requests it hits.
        public var endpoint: Endpoint
        /// Only requests with this grant; `nil` for all.
        public var grant: Grant?
        /// What goes wrong.
        public var kind: Kind
        /// How many requests it hits, at least 1.
        public var count: Int
        /// For `delay`, at most 600,000.
        public var milliseconds: Int
        /// For `status`, `retryAfter` and `html`; 200 to 599, `nil` for the kind's own.
        public var status: Int?
        /// For `retryAfter` and `clockSkew`.
        public var seconds: Int
        /// The error code of `status`; letters and underscores.
        public var error: String?
        /// For `hold`: whether the request is acted on before it is held.
        public var acts: Bool
        /// For `oversize`, at most 64 MiB.
        public var bytes = (2 << 20) + 1

        /// A fault for the next `count` requests to `endpoint`.
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
    /// Whether its numbers can be used.
    var isValid: Bool {
        (1...1_000_000).contains(count) && (0...600_000).contains(milliseconds)
            && (0...(64 << 20)).contains(bytes)
            && status.map { (200...599).contains($0) } ?? true && abs(seconds) < 1 << 40
            && error.map { !$0.isEmpty && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "_") } } ?? true
    }
}

/// The faults to come, in order. The first that fits a request hits it.
struct FaultPlan: Sendable {
    static let capacity = 1_000
    private var faults: [DevServer.Fault] = []

    /// `false` when it is not valid, or there are too many.
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
