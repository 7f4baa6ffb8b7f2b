/// What many requests have in common. Two requests of one shape differ only in header fields and content, so a
/// handle that has carried one needs only those for the other.
struct CurlShape {
    let target: CurlTarget
    /// The method of a request whose content is written once; `nil` for a plain `GET` without content.
    let methodWithBody: String?
    /// Whether the target's pins count. They may expire between two requests.
    let isPinned: Bool

    /// Returns `nil` for rare requests, and for those that open a new connection, which costs more than all the
    /// setup.
    init?(_ head: CurlRequestHead, body: [UInt8]?, isPinned: Bool) {
        guard head.target.isKept else { return nil }
        switch head.writing {
        case .twice where head.method == "GET" && body == nil: methodWithBody = nil
        case .once: methodWithBody = head.method
        default: return nil
        }
        target = head.target
        self.isPinned = isPinned
    }

    static func == (one: CurlShape, other: CurlShape) -> Bool {
        one.target === other.target && one.methodWithBody == other.methodWithBody && one.isPinned == other.isPinned
    }
}
