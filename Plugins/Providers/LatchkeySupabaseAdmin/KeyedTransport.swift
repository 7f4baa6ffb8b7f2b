import Latchkey
import LatchkeyLocked

/// Puts the key on each request, and sends again what is safe to be sent twice.
struct KeyedTransport: HTTPTransport {
    /// How many tries of the request that is under way may have arrived.
    @TaskLocal static var tries: Locked<Int>?

    private let key: AdminKey
    private let once: Counted
    private let again: Retrying<Counted>

    init(_ key: AdminKey, _ transport: any HTTPTransport, _ context: PluginContext) {
        self.key = key
        once = Counted(wrapped: MeasuredTransport(transport, context))
        again = Retrying(wrapping: once, context: context)
    }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        var request = request
        let text = key.secret.revealText()
        request.fields["apikey"] = text
        // Where a person's token is the bearer, it is about that person's session.
        if key.isToken, request.fields["Authorization"] == nil { request.fields["Authorization"] = "Bearer \(text)" }
        switch request.method {
        case "GET", "DELETE": return try await again.send(request, deadline: deadline)
        default: return try await once.send(request, deadline: deadline)
        }
    }

    struct Counted: HTTPTransport {
        let wrapped: MeasuredTransport

        func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
            do {
                let response = try await wrapped.send(request, deadline: deadline)
                KeyedTransport.tries?.withLock { $0 += 1 }
                return response
            } catch {
                if (error as? TransportError)?.wasSent != false { KeyedTransport.tries?.withLock { $0 += 1 } }
                throw error
            }
        }
    }
}
