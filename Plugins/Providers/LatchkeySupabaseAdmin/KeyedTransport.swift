import Latchkey
import LatchkeySystem

/// Adds the key to each request, and repeats requests that are safe to send twice.
struct KeyedTransport: HTTPTransport {
    /// How many tries of the current request may have reached the service.
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
        // If the bearer is a person's token, the request is about that person's session.
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
