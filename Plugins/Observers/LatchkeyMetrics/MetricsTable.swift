import Latchkey

/// The counts of ``MetricsObserver``. It is a value, so a snapshot is a copy.
struct MetricsTable {
    /// One metric with one set of labels.
    enum Series: Hashable {
        case request(origin: String, method: Method, status: Status)
        case retry(origin: String, status: Status)
        case refresh(String, AuthObservation.RefreshOutcome)
        case heldOff(String)
        case store(StoreKey.Kind, AuthObservation.StoreOperation, AuthObservation.StoreOutcome)
        case refusal(originClass: String, AuthObservation.RefusalCause)
        case storeFailure(StoreKey.Kind, AuthObservation.StoreOperation, AuthError.Code)
        case lockWait(AuthObservation.Lock, AuthObservation.LockOutcome)
        case signIn(String, SignInMethod.Kind?, AuthError.Code?)
        case furtherProof(AuthObservation.FurtherProof, String, SignInMethod.Kind?, AuthError.Code?)
        case signInRequired(String, AuthError.SignInRequiredReason)
        case reauthentication(AuthError.SignInRequiredReason, by: AuthObservation.Returning)
        case firstToken(AuthObservation.TokenSource)
        case signOut(String, AuthObservation.RevocationOutcome)
        case gate(locked: Bool)
        case startedOver
        case unlock(UnlockChoice, AuthObservation.UnlockKind?, AuthError.Code?)
        case pins(host: String, AuthObservation.PinOutcome)
        case idToken(String, AuthObservation.IDTokenFault)
        case integrity(IntegrityFinding.Kind)
    }

    enum Method: String {
        case get = "GET", head = "HEAD", post = "POST", put = "PUT", delete = "DELETE", connect = "CONNECT"
        case options = "OPTIONS", trace = "TRACE", patch = "PATCH", other
    }

    enum Status: String {
        case informational = "1xx", success = "2xx", redirection = "3xx", clientError = "4xx", serverError = "5xx"
        case none, other

        init(_ code: Int?) {
            guard let code else {
                self = .none
                return
            }
            switch code {
            case 100...199: self = .informational
            case 200...299: self = .success
            case 300...399: self = .redirection
            case 400...499: self = .clientError
            case 500...599: self = .serverError
            default: self = .other
            }
        }
    }

    struct Cell {
        var count: UInt64 = 0
        var nanoseconds: UInt64 = 0
    }

    /// The buckets' upper bounds. The last bucket has none and takes the rest.
    typealias Bounds = [(nanoseconds: UInt64, text: String)]

    /// For what machines do.
    static let briefBounds: Bounds = [
        (1_000_000, "0.001"), (5_000_000, "0.005"), (10_000_000, "0.01"), (25_000_000, "0.025"), (50_000_000, "0.05"),
        (100_000_000, "0.1"), (250_000_000, "0.25"), (500_000_000, "0.5"), (1_000_000_000, "1"),
        (2_500_000_000, "2.5"), (5_000_000_000, "5"), (10_000_000_000, "10"), (30_000_000_000, "30"),
    ]
    /// For what people do. There are as many as for machines, so that the buckets of all cells have one stride.
    static let longBounds: Bounds = [
        (100_000_000, "0.1"), (500_000_000, "0.5"), (1_000_000_000, "1"), (2_500_000_000, "2.5"), (5_000_000_000, "5"),
        (10_000_000_000, "10"), (30_000_000_000, "30"), (60_000_000_000, "60"), (300_000_000_000, "300"),
        (900_000_000_000, "900"), (3_600_000_000_000, "3600"), (86_400_000_000_000, "86400"),
        (604_800_000_000_000, "604800"),
    ]
    static let bucketCount = briefBounds.count + 1
    private(set) var indices: [Series: Int] = [:]
    private(set) var cells: [Cell] = []
    /// For each cell, one bucket per bound and one for the rest.
    private(set) var buckets: [UInt64] = []
    private(set) var isLocked: Bool?
    private var names = MetricNames()

    mutating func count(_ observation: AuthObservation) {
        if case .gate(let locked) = observation { isLocked = locked }
        let (series, took) = names.series(of: observation)
        add(series, took)
    }

    private mutating func add(_ series: Series, _ took: Duration) {
        let index: Int
        if let known = indices[series] {
            index = known
        } else {
            index = cells.count
            indices[series] = index
            cells.append(Cell())
            buckets.append(contentsOf: repeatElement(0, count: Self.bucketCount))
        }
        let nanoseconds = took.clampedNanoseconds
        let bucket = series.bounds.firstIndex { nanoseconds <= $0.nanoseconds } ?? Self.bucketCount - 1
        cells[index].count += 1
        cells[index].nanoseconds = cells[index].nanoseconds.addingSaturated(nanoseconds)
        buckets[index * Self.bucketCount + bucket] += 1
    }
}

extension MetricsTable.Series {
    /// The upper bounds of its buckets.
    var bounds: MetricsTable.Bounds {
        switch self {
        case .signIn, .furtherProof, .reauthentication, .unlock: MetricsTable.longBounds
        default: MetricsTable.briefBounds
        }
    }
}

extension UInt64 {
    fileprivate func addingSaturated(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

extension Duration {
    /// The duration, limited to between zero and 292 years.
    fileprivate var clampedNanoseconds: UInt64 {
        let (seconds, attoseconds) = self.components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 9_000_000_000 else { return 9_000_000_000_000_000_000 }
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}
