import CMicrohttpd
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One request and its answer. The server's thread fills it, and a task answers it.
final class Exchange: Sendable {
    /// The progress of the exchange.
    enum Stage {
        /// Only the target is known yet.
        case opened
        /// The body is being received.
        case reading(ServerRequest)
        /// The rest of a refused body is read and thrown away, up to `left` bytes, so that the client gets the
        /// answer.
        case draining(refusal: Int, left: Int)
        /// The handler has the request, and the connection is suspended.
        case answering
        /// The handler has answered; `nil` drops the connection.
        case answered(ServerResponse?)
    }

    /// The target of the request line; `nil` if it is not text.
    let target: String?
    let stage = Locked<Stage>(.opened)
    /// The header fields, as far as they could be read.
    let fields = Locked<[(name: String, value: String)]>([])

    /// Where the target begins in the daemon's memory; `nil` if there is none.
    private let start: UInt?
    /// The address one byte after the target in the daemon's memory; `nil` if there is no target.
    private let end: UInt?

    /// Reads the target, which the daemon keeps in place until the request is completed.
    init(target: UnsafePointer<CChar>?) {
        self.target = target.flatMap { String(validatingCString: $0) }
        start = target.map { UInt(bitPattern: $0) }
        end = target.map { UInt(bitPattern: $0) + UInt(strlen($0)) + 1 }
    }

    /// Whether the request line has one space before the target and one behind it, as RFC 9112, section 3, writes it. It
    /// has not if the target contains a NUL, which cuts off its text silently.
    func hasPlainLine(method: UnsafePointer<CChar>, version: UnsafePointer<CChar>?) -> Bool {
        version.map { UInt(bitPattern: $0) } == end && UInt(bitPattern: method) + UInt(strlen(method)) + 1 == start
    }

    /// The most bytes of a refused body that are read.
    static let drain = 1 << 20

    /// Checks the head of the request, and returns the status if the request is refused at once.
    ///
    /// - Parameters:
    ///   - start: Where the method begins in the daemon's memory.
    ///   - version: The version in the daemon's memory, behind which the fields begin.
    func begin(
        method: String, at start: UInt, version: UnsafePointer<CChar>?, connection: OpaquePointer,
        limits: ServerLimits
    ) -> Int? {
        guard let target else { return 400 }
        let head = FieldCollector(after: version)
        shim_mhd_fields(connection, FieldCollector.collect, head.pointer)
        fields.withLock { $0 = head.fields }
        guard target.utf8.count <= limits.head else { return 414 }
        guard head.size <= limits.head else { return 431 }
        let end = start + UInt(shim_mhd_head_size(connection))
        guard head.isComplete(before: end), method.utf8.allSatisfy(FieldCollector.isTokenByte),
            let request = ServerRequest(method, target, fields: head.fields)
        else { return 400 }
        // All readers of a connection must agree on the end of a request (RFC 9112 section 6.3).
        let lengths = request.count(ofField: "Content-Length")
        let isOld = version.map { String(cString: $0) } == "HTTP/1.0"
        guard request.count(ofField: "Host") == 1 || isOld && request.count(ofField: "Host") == 0, lengths <= 1,
            lengths == 0 || request.count(ofField: "Transfer-Encoding") == 0
        else { return 400 }
        // Another coding has no end that this server knows (RFC 9112, section 6.1).
        if let coding = request.field("Transfer-Encoding") {
            guard coding.lowercased() == "chunked" else { return 501 }
            guard request.count(ofField: "Transfer-Encoding") == 1 else { return 400 }
        }
        // The daemon takes digits only; what does not fit is above every limit.
        let length = request.field("Content-Length").map { Int($0) ?? .max } ?? 0
        if length > limits.body {
            guard length <= Self.drain, request.field("Expect") == nil else { return 413 }
            stage.withLock { $0 = .draining(refusal: 413, left: Self.drain) }
        } else {
            stage.withLock { $0 = .reading(request) }
        }
        return nil
    }

    /// Takes one piece of the body; `false` if even the drained rest of a refused body is too large.
    func append(_ bytes: UnsafeBufferPointer<UInt8>, limit: Int) -> Bool {
        stage.withLock { stage in
            switch stage {
            case .reading(var request):
                stage = .opened
                guard request.body.count + bytes.count <= limit else {
                    stage = .draining(refusal: 413, left: Self.drain)
                    return true
                }
                request.body.append(contentsOf: bytes)
                stage = .reading(request)
                return true
            case .draining(let refusal, let left):
                stage = .draining(refusal: refusal, left: left - bytes.count)
                return left >= bytes.count
            case .opened, .answering, .answered: return false
            }
        }
    }
}
