import Foundation
import Latchkey
import LatchkeySupabase

/// Sends the outbox by several workers. They wait whenever nobody is signed in, and go on afterwards.
struct Diary: Sendable {
    let auth: AuthClient
    let outbox: Outbox
    let person: ProviderMethod<SupabaseProvider>
    let events: String

    private static let workers = 8

    func send(over transport: some HTTPTransport) async throws {
        let watching = Task { try await watch() }
        let api = try auth.authorized(transport, origins: [WebAddress(events)?.origin ?? events])
        if try await auth.accounts().isEmpty { try await signIn() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.workers { group.addTask { try await work(api) } }
            try await group.waitForAll()
        }
        watching.cancel()
        let left = try await outbox.count()
        Self.say("sent everything; \(left.aside) set aside")
    }

    private func work<Base: HTTPTransport>(_ api: AuthorizedTransport<Base>) async throws {
        for await leave in auth.whenSignedIn {
            guard let event = try await outbox.take() else { return }
            var request = TransportRequest("POST", events, body: Array(event.body.utf8))
            request.fields.add("Content-Type", "application/json")
            request.fields.add("Idempotency-Key", event.id)
            switch await leave.send(request, over: api, within: .seconds(30)) {
            case .done: try await outbox.remove(event)
            case .later: await outbox.putBack(event)
            case .refused(let why):
                let status = (why as? WorkRefused)?.response.status
                try await outbox.setAside(event, because: status.map { "status \($0)" } ?? "not sent")
            }
        }
    }

    /// Shows the sign-in once when the session has ended, however many requests were refused.
    private func watch() async throws {
        for await event in auth.events {
            guard case .authenticationRequired(_, let reason) = event else { continue }
            Self.say("sign in again (\(reason)), then press Return")
            guard await Self.line() != nil else { return }
            try await signIn()
        }
    }

    private func signIn() async throws {
        _ = try await auth.supabase().signIn(person)
        Self.say("signed in")
    }

    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }

    /// Waits for a line on a thread of its own, so that the workers' threads stay free.
    private static func line() async -> String? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: readLine()) }
        }
    }
}
