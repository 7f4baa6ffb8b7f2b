import Latchkey

/// What came of the forms that were sent lately. Sent once more, as by a double tap, a form does nothing, and its
/// answer is the same.
///
/// A form is known by its cookie and all its contents. So the cookie of before a sign-in, which is worth nothing any
/// more, gets this one answer from whoever knows the password that was sent, and nothing else.
actor RepeatedForms {
    /// How long an answer is remembered.
    static let time = Duration.seconds(60)
    /// The most answers that are remembered.
    static let limit = 4_096

    private enum Entry {
        case underWay([CheckedContinuation<WebResponse, Never>])
        case done(WebResponse, until: MonotonicInstant)
    }

    private let clock: any AuthClock
    private var entries: [[UInt8]: Entry] = [:]
    /// The answers that are remembered, the oldest first.
    private var order: [[UInt8]] = []

    init(_ clock: any AuthClock) { self.clock = clock }

    /// Returns the answer to the form with this digest, from `work` if it was not sent before.
    func answer(_ digest: [UInt8], _ work: @Sendable () async -> WebResponse) async -> WebResponse {
        switch entries[digest] {
        case .underWay(var waiting):
            return await withCheckedContinuation { continuation in
                waiting.append(continuation)
                entries[digest] = .underWay(waiting)
            }
        case .done(let response, let end) where clock.now() < end: return response
        case .done, nil: break
        }
        entries[digest] = .underWay([])
        let response = await work()
        if case .underWay(let waiting) = entries[digest] { for one in waiting { one.resume(returning: response) } }
        entries[digest] = .done(response, until: clock.now() + Self.time)
        order.removeAll { $0 == digest }
        order.append(digest)
        forget()
        return response
    }

    private func forget() {
        var count = 0
        let now = clock.now()
        for digest in order {
            guard case .done(_, let end) = entries[digest] else { continue }
            guard end <= now || order.count - count > Self.limit else { break }
            entries[digest] = nil
            count += 1
        }
        order.removeFirst(count)
    }
}
