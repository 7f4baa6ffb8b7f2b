import Latchkey
import LatchkeyJSON
import LatchkeySystem

/// Passes requests on, and changes what the service answers to those that are sent by POST.
///
/// What is looked up by GET, such as a service's documents and keys, comes through as it is.
final class ChangedAnswers: HTTPTransport {
    private struct Seen {
        var posts: [TransportResponse] = []
        var isChanged = false
        var unanswered = 0
    }

    private let inner: any HTTPTransport
    private let recorded: [TransportResponse]
    private let change: @Sendable (_ number: Int, _ answer: JSON) -> JSON
    private let seen = Locked(Seen())

    /// - Parameters:
    ///   - recorded: Answers to give to the first requests by POST in place of the service's own.
    ///   - change: Changes an answer of JSON that says yes. It gets the answer's number among those to a POST.
    init(
        _ inner: any HTTPTransport, recorded: [TransportResponse] = [],
        change: @escaping @Sendable (_ number: Int, _ answer: JSON) -> JSON = { $1 }
    ) {
        (self.inner, self.recorded, self.change) = (inner, recorded, change)
    }

    /// The service's answers to each POST, unchanged.
    var posts: [TransportResponse] { seen.withLock { $0.posts } }
    /// Whether an answer was changed.
    var isChanged: Bool { seen.withLock { $0.isChanged } }
    /// Whether each request got an answer.
    var isComplete: Bool { seen.withLock { $0.unanswered == 0 } }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        guard request.method == "POST" else { return try await inner.send(request, deadline: deadline) }
        seen.withLock { $0.unanswered += 1 }
        let number = posts.count
        let original =
            recorded.indices.contains(number)
            ? recorded[number] : try await inner.send(request, deadline: deadline)
        seen.withLock { seen in
            seen.posts.append(original)
            seen.unanswered -= 1
        }
        guard (200...299).contains(original.status), let answer = try? JSON.parse(original.body) else {
            return original
        }
        let changed = change(number, answer)
        guard changed != answer else { return original }
        seen.withLock { $0.isChanged = true }
        var response = original
        response.body = changed.serialized()
        return response
    }
}

extension ProviderContext {
    /// The same context over another transport, which has carried no token yet.
    func anew(over transport: any HTTPTransport) -> ProviderContext {
        var context = ProviderContext(
            world: world, transport: transport, cache: cache, serverOffset: serverOffset, deadline: deadline,
            lookupDeadline: lookupDeadline, memory: memory, documents: documents, principal: principal)
        context.shared = shared
        return context
    }
}

extension AuthSession {
    /// The service's name for the person, without the configuration; `nil` if it names none.
    func subject(of binding: ProviderBinding) -> String? {
        let prefix = AccountID(subject: "", of: binding).value
        guard !account.isUnnamed, account.value.hasPrefix(prefix) else { return nil }
        let subject = String(account.value.dropFirst(prefix.count))
        return subject.isEmpty ? nil : subject
    }
}
