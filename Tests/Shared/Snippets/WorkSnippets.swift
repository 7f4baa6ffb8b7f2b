import Latchkey
import LatchkeyCurl

/// The code of `Documentation/Start/BackgroundWork.md`, compiled.
enum WorkSnippets {
    static func send(_ auth: AuthClient, _ queue: some EventQueue) async throws {
        let api = try auth.authorized(.curl(), origins: ["https://api.example.com"])
        for await leave in auth.whenSignedIn {
            let event = try await queue.first()
            switch await leave.send(event.request, over: api, within: .seconds(30)) {
            case .done: try queue.remove(event)
            case .later: break
            case .refused(let why): try queue.setAside(event, why)
            }
        }
    }

    static func countdown(_ auth: AuthClient, of error: AuthError, _ show: (Int64) -> Void) async {
        for await seconds in auth.countdown(of: error) { show(seconds) }  // 30, 29, … 1, 0
    }
}

/// What the guide takes for granted of an app's queue.
protocol EventQueue {
    associatedtype Event: QueuedEvent

    func first() async throws -> Event
    func remove(_ event: Event) throws
    func setAside(_ event: Event, _ why: any Error) throws
}

/// An event of the queue.
protocol QueuedEvent {
    var request: TransportRequest { get }
}
