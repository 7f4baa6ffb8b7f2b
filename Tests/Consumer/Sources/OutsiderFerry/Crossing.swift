import Latchkey

/// What one try led to.
enum Crossing {
    case answered(TransportResponse)
    case failed(TransportError)

    /// Whether the request may have arrived.
    var wasSent: Bool {
        switch self {
        case .answered: true
        case .failed(let error): error.wasSent
        }
    }

    /// Whether another try may lead to something else.
    var mayGoBetter: Bool {
        switch self {
        case .answered(let answer): [429, 502, 503, 504].contains(answer.status)
        case .failed(let error): [.unreachable, .interrupted, .timedOut].contains(error.code)
        }
    }

    /// What a log may show.
    var words: String {
        switch self {
        case .answered(let answer): "\(answer.status)"
        case .failed(let error): error.code.rawValue
        }
    }

    /// Returns the answer, or throws the error.
    ///
    /// - Parameter wasSent: Whether any try may have arrived.
    func answer(_ wasSent: Bool) throws -> TransportResponse {
        switch self {
        case .answered(let answer): return answer
        case .failed(var error):
            error.wasSent = wasSent
            throw error
        }
    }
}
