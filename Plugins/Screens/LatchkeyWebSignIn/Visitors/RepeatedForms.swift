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

    private let context: PluginContext
    private var entries: [[UInt8]: Entry] = [:]
    /// The answers that are remembered, the oldest first.
    private var order: [[UInt8]] = []

    init(_ context: PluginContext) { self.context = context }

    /// Returns the answer to the form with this digest, from `work` if it was not sent before. The work goes on if the
    /// caller is cancelled: a browser that sends a form twice gives up the first answer.
    func answer(_ digest: [UInt8], _ work: @escaping @Sendable () async -> WebResponse) async -> WebResponse {
        if case .done(let response, let end) = entries[digest], context.clock.now() < end { return response }
        return await withCheckedContinuation { continuation in
            if case .underWay(let waiting) = entries[digest] {
                entries[digest] = .underWay(waiting + [continuation])
                return
            }
            entries[digest] = .underWay([continuation])
            context.start("form") { [self] in await finish(digest, await work()) }
        }
    }

    private func finish(_ digest: [UInt8], _ response: WebResponse) {
        if case .underWay(let waiting) = entries[digest] { for one in waiting { one.resume(returning: response) } }
        order.removeAll { $0 == digest }
        // What failed here may be tried again with the same page.
        guard response.status < 500 else {
            entries[digest] = nil
            return
        }
        entries[digest] = .done(response, until: context.clock.now() + Self.time)
        order.append(digest)
        forget()
    }

    private func forget() {
        var count = 0
        let now = context.clock.now()
        for digest in order {
            guard case .done(_, let end) = entries[digest] else { continue }
            guard end <= now || order.count - count > Self.limit else { break }
            entries[digest] = nil
            count += 1
        }
        order.removeFirst(count)
    }
}
