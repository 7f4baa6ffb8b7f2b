import LatchkeySystem
import LatchkeyTesting
import Testing

@testable import Latchkey

@Suite("Event listeners", .timeLimit(.minutes(1))) struct EventHubTests {
    /// An event that can be told from others.
    private func event(_ number: Int) -> AuthEvent { .refreshed(AccountID("account"), Audience(String(number))) }

    private func read(_ count: Int, of stream: AsyncStream<AuthEvent>) async -> [AuthEvent] {
        var found: [AuthEvent] = []
        for await event in stream.prefix(count) { found.append(event) }
        return found
    }

    @Test("a listener that is let go is forgotten, read from or not")
    func forgotten() async {
        let hub = EventHub()
        var unread: AsyncStream<AuthEvent>? = hub.listen()
        var begun: AsyncStream<AuthEvent>? = hub.listen()
        #expect(hub.listenerCount == 2)
        hub.tell(.locked)
        if let begun { #expect(await read(1, of: begun) == [.locked]) }
        #expect(unread != nil)
        unread = nil
        #expect(hub.listenerCount == 1)
        begun = nil
        #expect(begun == nil)
        #expect(hub.listenerCount == 0)
        hub.tell(.unlocked)
    }

    @Test("a task that is cancelled while it waits ends its stream and is forgotten")
    func cancelled() async throws {
        let hub = EventHub()
        let waiting = Latch()
        let stream = hub.listen()
        let reader = Task {
            var events: [AuthEvent] = []
            for await event in stream {
                events.append(event)
                waiting.open()
            }
            return events
        }
        hub.tell(.locked)
        try await waiting.wait()
        reader.cancel()
        #expect(await reader.value == [.locked])
        #expect(hub.listenerCount == 0)
    }

    @Test("a slow listener takes nothing from a fast one, and finds one gap where its own events are missing")
    func slowBesideFast() async {
        let hub = EventHub()
        let slow = hub.listen()
        let fast = hub.listen()
        var reader = fast.makeAsyncIterator()
        for number in 0..<1_000 {
            hub.tell(event(number))
            #expect(await reader.next() == event(number))
        }
        let late = await read(257, of: slow)
        #expect(late == (0..<256).map(event) + [.gap])
        hub.tell(event(1_000))
        #expect(await read(1, of: slow) == [event(1_000)])
        #expect(await reader.next() == event(1_000))
    }

    @Test("what is missing is told even when nothing happens afterwards")
    func lastOneMissing() async {
        let hub = EventHub()
        let stream = hub.listen()
        for number in 0...256 { hub.tell(event(number)) }
        #expect(await read(257, of: stream).last == .gap)
    }

    @Test("a gap stands where the events are missing, before the newer ones")
    func gapInPlace() async {
        let hub = EventHub()
        let stream = hub.listen()
        for number in 0..<300 { hub.tell(event(number)) }
        // One free place does not hold a gap and an event; two do.
        _ = await read(1, of: stream)
        hub.tell(event(300))
        _ = await read(1, of: stream)
        hub.tell(event(301))
        hub.tell(event(302))
        #expect(await read(257, of: stream) == (2..<256).map(event) + [.gap, event(301), .gap])
    }

    @Test("a thousand listeners hear the same, in the same order, from several tasks at once")
    func thousand() async {
        let hub = EventHub()
        let streams = (0..<1_000).map { _ in hub.listen() }
        await withTaskGroup(of: Void.self) { group in
            for teller in 0..<4 {
                group.addTask { for number in 0..<50 { hub.tell(event(teller * 50 + number)) } }
            }
        }
        var heard: Set<[AuthEvent]> = []
        for stream in streams { heard.insert(await read(200, of: stream)) }
        #expect(heard.count == 1)
        #expect(Set(heard.first ?? []).count == 200)
        hub.close()
        for stream in streams { #expect(await read(1, of: stream).isEmpty) }
        #expect(hub.listenerCount == 0)
    }

    @Test("closing lets what is in the buffer be read, then ends; who listens later hears the end at once")
    func closed() async {
        let hub = EventHub()
        let stream = hub.listen()
        hub.tell(.locked)
        hub.close()
        hub.close()
        hub.tell(.unlocked)
        #expect(await read(9, of: stream) == [.locked])
        #expect(await read(9, of: hub.listen()).isEmpty)
    }

    /// Runs what it is given at once, on the thread that gives it.
    private final class InlineExecutor: SerialExecutor {
        func enqueue(_ job: UnownedJob) { job.runSynchronously(on: asUnownedSerialExecutor()) }
        func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
    }

    /// Calls the hub from within the call that wakes it.
    private actor Meddler {
        private let executor = InlineExecutor()
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
        private(set) var heard: [AuthEvent] = []

        func listen(to hub: EventHub, ready: @escaping @Sendable () -> Void) async {
            let stream = hub.listen()
            ready()
            for await event in stream {
                heard.append(event)
                if event == .locked { hub.tell(.unlocked) }
                _ = hub.listen()
                if event == .unlocked { break }
            }
        }
    }

    @Test("a listener whose executor runs it within the telling may call the hub: no lock is held")
    func reentrant() async throws {
        let hub = EventHub()
        let meddler = Meddler()
        let other = hub.listen()
        let ready = Latch()
        let listening = Task { await meddler.listen(to: hub) { ready.open() } }
        try await ready.wait()
        hub.tell(.locked)
        await listening.value
        #expect(await meddler.heard == [.locked, .unlocked])
        #expect(await read(2, of: other) == [.locked, .unlocked])
    }
}
