/// What many requests have in common: two of one shape differ in their header fields and their content alone, and a
/// handle that has carried the one need not be told the rest again for the other.
struct CurlShape {
    let target: CurlTarget
    /// `nil`: a plain `GET`, without content. Any other: the method of a request with content that is written once.
    let methodWithBody: String?

    /// `nil` for whatever is rare, or opens a connection for itself, which costs more than all else.
    init?(_ head: CurlRequestHead, body: [UInt8]?) {
        guard head.target.isKept else { return nil }
        switch head.writing {
        case .twice where head.method == "GET" && body == nil: methodWithBody = nil
        case .once: methodWithBody = head.method
        default: return nil
        }
        target = head.target
    }

    static func == (one: CurlShape, other: CurlShape) -> Bool {
        one.target === other.target && one.methodWithBody == other.methodWithBody
    }
}
