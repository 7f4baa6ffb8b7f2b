import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

/// Leave to work in the background: `AuthClient.whenSignedIn`.
@Suite("Work while somebody is signed in") struct WorkTests {
    static let address = "https://api.example.com/events"

    /// A queue, and a service that takes what is in it.
    struct Queue {
        let bench = Bench()
        let resource = ScriptedTransport()
        let items: Locked<[Int]>
        let delivered = Locked<[Int]>([])
        let aside = Locked<[Int]>([])
        /// What the service answers instead of taking an item.
        let answer = Locked<(@Sendable (Int) throws -> TransportResponse?)?>(nil)

        init(_ count: Int = 20) {
            items = Locked(Array(0..<count))
            resource.always(
                "POST", WorkTests.address,
                .made { [delivered, answer] request in
                    let item = Int(String(decoding: request.body ?? [], as: UTF8.self)) ?? -1
                    if let other = try answer.withLock({ $0 })?(item) { return other }
                    delivered.withLock { $0.append(item) }
                    return TransportResponse(status: 200)
                })
        }

        /// Empties the queue, and ends with it.
        func work(_ auth: AuthClient) async throws {
            let api = try auth.authorized(resource, origins: ["https://api.example.com"])
            for await leave in auth.whenSignedIn {
                guard let item = items.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
                let request = TransportRequest("POST", WorkTests.address, body: Array("\(item)".utf8))
                switch await leave.send(request, over: api, within: .seconds(60)) {
                case .done: break
                case .later: items.withLock { $0.insert(item, at: 0) }
                case .refused: aside.withLock { $0.append(item) }
                }
            }
        }

        /// Several workers; the task ends when the queue is empty.
        func workers(_ count: Int, _ auth: AuthClient) -> Task<Void, any Error> {
            Task {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<count { group.addTask { try await work(auth) } }
                    try await group.waitForAll()
                }
            }
        }

        var isDelivered: Bool { delivered.withLock { $0.sorted() } == Array(0..<20) }
    }

    @Test(
        "who waits for somebody to sign in asks for nothing and sets no timer, and goes on after the sign-in", .law(18),
        .need("D2"))
    func signedOut() async throws {
        let queue = Queue()
        let auth = try queue.bench.process()
        let workers = queue.workers(8, auth)
        try await queue.bench.until { auth.engine.accounts.hub.listenerCount == 8 }
        await queue.bench.settle()
        #expect(queue.resource.requests.isEmpty && queue.bench.clock.sleepers == 0)
        _ = try await auth.signIn(with: "scripted", .anonymous)
        try await workers.value
        #expect(queue.isDelivered)
    }

    @Test(
        "a session that ends in the middle stops every worker after one refresh, and no item is lost or sent twice",
        .law(18), .need("D1", "D2"))
    func endedSession() async throws {
        let queue = Queue()
        let auth = try await queue.bench.signedIn()
        queue.answer.withLock {
            $0 = { item in item < 10 ? nil : TransportResponse(status: 401) }
        }
        queue.bench.service.script(refreshes: .refused(Refusal(.definite, code: "invalid_grant")))
        let workers = queue.workers(8, auth)
        let hub = auth.engine.accounts.hub
        try await queue.bench.until { queue.bench.service.refreshCount == 1 && hub.listenerCount == 8 }
        await queue.bench.settle()
        // A worker that had taken an item, and not sent it, may have put it back.
        let (delivered, left) = (queue.delivered.withLock { $0 }, queue.items.withLock { $0 })
        #expect(queue.bench.service.refreshCount == 1 && delivered.allSatisfy { $0 < 10 })
        #expect((delivered + left).sorted() == Array(0..<20))
        queue.answer.withLock { $0 = nil }
        _ = try await auth.signIn(with: "scripted", .anonymous)
        try await queue.bench.run { try await workers.value }
        #expect(queue.isDelivered && queue.bench.service.refreshCount == 1)
    }

    @Test("while locked nobody is asked and nothing is sent; the unlock lets everybody go on", .law(18))
    func locked() async throws {
        let queue = Queue()
        let unlock = ScriptedUnlock(clock: queue.bench.clock)
        _ = try await queue.bench.signedIn(seed: 3)
        let auth = try queue.bench.process { $0.unlock(unlock, reason: "Send", policy: UnlockPolicy()) }
        let workers = queue.workers(4, auth)
        try await queue.bench.until { auth.engine.accounts.hub.listenerCount == 4 }
        await queue.bench.settle()
        #expect(queue.resource.requests.isEmpty && unlock.promptCount == 0)
        // Whoever got leave, and could not send, would sleep now.
        try #require(queue.bench.clock.sleepers == 0)
        try await auth.unlock()
        try await workers.value
        #expect(queue.isDelivered && unlock.promptCount == 1)
    }

    @Test("before the time that a service has named, no worker sends anything", .law(18))
    func retryAfter() async throws {
        let queue = Queue()
        let auth = try await queue.bench.signedIn()
        queue.answer.withLock {
            $0 = { _ in TransportResponse(status: 429, fields: ["Retry-After": "120"]) }
        }
        let workers = queue.workers(4, auth)
        try await queue.bench.clock.waitForSleepers(4)
        let asked = queue.resource.requests.count
        #expect((1...4).contains(asked))
        queue.bench.clock.advance(by: .seconds(119))
        await queue.bench.settle()
        // Not even where the service was heard of meanwhile.
        try await auth.refresh()
        await queue.bench.settle()
        #expect(queue.resource.requests.count == asked)
        queue.answer.withLock { $0 = nil }
        queue.bench.clock.advance(by: .seconds(1))
        try await queue.bench.run { try await workers.value }
        #expect(queue.isDelivered)
    }

    @Test("without a network the pauses grow to a minute, however many workers find out", .law(18))
    func offline() async throws {
        let queue = Queue()
        let auth = try await queue.bench.signedIn()
        queue.answer.withLock { $0 = { _ in throw TransportError(.unreachable, wasSent: false) } }
        let begun = queue.bench.clock.now()
        let workers = queue.workers(1, auth)
        try await queue.bench.clock.waitForSleepers(1)
        var pauses: [Duration] = []
        for count in 2...12 {
            let before = queue.bench.clock.now()
            queue.bench.clock.advanceToNextSleeper()
            pauses.append(queue.bench.clock.now() - before)
            try await queue.bench.until { queue.resource.requests.count == count }
            try await queue.bench.clock.waitForSleepers(1)
        }
        #expect(pauses[0] >= .milliseconds(500) && pauses[0] <= .seconds(1))
        #expect(pauses.suffix(4).allSatisfy { $0 >= .seconds(30) && $0 <= .seconds(60) })
        #expect(queue.bench.clock.now() - begun < .seconds(600))
        queue.answer.withLock { $0 = nil }
        try await queue.bench.run { try await workers.value }
        #expect(queue.isDelivered)
    }

    @Test("a refresh that succeeds ends the pause: the service is there again", .law(18))
    func backOnline() async throws {
        let queue = Queue()
        let auth = try await queue.bench.signedIn()
        let unreachable = TransportError(.unreachable, wasSent: false)
        queue.bench.service.script(refreshes: .failed(unreachable))
        #expect(await code { try await auth.refresh() } == .offline(.unreachable))
        let workers = queue.workers(4, auth)
        try await queue.bench.clock.waitForSleepers(4)
        #expect(queue.resource.requests.isEmpty)
        try await auth.refresh()
        try await workers.value
        #expect(queue.isDelivered)
    }

    @Test(
        "what the service refuses for good is set aside, and the rest goes on", .need("D2"),
        arguments: [400, 403, 404, 409, 413, 422])
    func refused(status: Int) async throws {
        let queue = Queue()
        let auth = try await queue.bench.signedIn()
        queue.answer.withLock { $0 = { item in item == 7 ? TransportResponse(status: status) : nil } }
        try await queue.work(auth)
        #expect(queue.aside.withLock { $0 } == [7] && queue.delivered.withLock { $0.count } == 19)
        #expect(queue.resource.requests.count == 20)
    }

    @Test(
        "what fails for now is kept, and sent again after a pause", arguments: [401, 408, 425, 429, 500, 502, 503, 504])
    func postponed(status: Int) async throws {
        let queue = Queue()
        let auth = try await queue.bench.signedIn()
        let isFirst = Locked(true)
        queue.answer.withLock {
            $0 = { item in
                guard item == 7, isFirst.withLock({ $0 }) else { return nil }
                // A 401 is asked about with a newer token first.
                if status != 401 || queue.bench.service.refreshCount == 1 { isFirst.withLock { $0 = false } }
                return TransportResponse(status: status)
            }
        }
        try await queue.bench.run { try await queue.work(auth) }
        #expect(queue.isDelivered && queue.aside.withLock { $0.isEmpty })
    }

    @Test("an error of the app's own sets an item aside; one that says later does not")
    func ownErrors() async throws {
        struct Broken: Error {}
        let bench = Bench()
        let auth = try await bench.signedIn()
        let leave = try #require(await auth.whenSignedIn.first { _ in true })
        guard case .refused(let why) = await leave.run({ () async throws -> Int in throw Broken() }), why is Broken
        else {
            return #expect(Bool(false))
        }
        guard case .later = await leave.run({ () async throws -> Int in throw WorkPostponed() }) else {
            return #expect(Bool(false))
        }
        guard case .later = await leave.run({ () async throws -> Int in throw CancellationError() }) else {
            return #expect(Bool(false))
        }
        // A pause is on; the work of another account has none.
        #expect(auth.engine.workRests.until(leave.account) != nil)
        #expect(auth.engine.workRests.until(AccountID(subject: "bob", of: bench.service.rules.binding)) == nil)
    }

    @Test("work for an account goes with its token, and waits for that account")
    func ofAnAccount() async throws {
        let bench = Bench()
        let auth = try bench.process()
        bench.service.script(turns: .granted(to: "ada"), .granted(to: "bob"))
        let ada = try await auth.signIn(with: "scripted", .anonymous).account
        _ = try await auth.signIn(with: "scripted", .anonymous)
        let resource = ScriptedTransport()
        resource.always("GET", Self.address, .answer(TransportResponse(status: 200)))
        let api = try auth.authorized(resource, origins: ["https://api.example.com"])
        for await leave in auth.whenSignedIn(as: ada) {
            #expect(leave.account == ada)
            _ = await leave.send(TransportRequest("GET", Self.address), over: api, within: .seconds(60))
            break
        }
        #expect(resource.requests.first?.fields["Authorization"] == "Bearer access-1")
        try await auth.signOut(of: ada)
        let waiting = Task { await auth.whenSignedIn(as: ada).first { _ in true }?.account }
        try await bench.until { auth.engine.accounts.hub.listenerCount == 1 }
        bench.service.script(turns: .granted(to: "ada"))
        _ = try await auth.signIn(with: "scripted", .anonymous)
        #expect(await waiting.value == ada)
    }

    @Test("a sign-in in another process lets it go on")
    func elsewhere() async throws {
        let queue = Queue()
        let store = queue.bench.store.inner
        let auth = try queue.bench.process { $0.store(store) }
        let workers = queue.workers(2, auth)
        try await queue.bench.until { auth.engine.accounts.hub.listenerCount == 2 }
        _ = try await queue.bench.process(seed: 9) { $0.store(store) }.signIn(with: "scripted", .anonymous)
        try await queue.bench.run { try await workers.value }
        #expect(queue.isDelivered)
    }

    @Test("a store that cannot be read at launch is tried again, ever more seldom")
    func unreadable() async throws {
        let queue = Queue()
        _ = try await queue.bench.signedIn(seed: 9)
        let auth = try queue.bench.process()
        queue.bench.store.failKeys(AuthError(.store(.unavailable), "gone"))
        let workers = queue.workers(1, auth)
        for _ in 0..<5 {
            try await queue.bench.clock.waitForSleepers(1)
            queue.bench.clock.advanceToNextSleeper()
            await queue.bench.settle()
        }
        queue.bench.store.failKeys(nil)
        try await queue.bench.run { try await workers.value }
        #expect(queue.isDelivered)
    }

    @Test("what changes while a worker looks wakes it, though it finds nothing to do yet", .law(18))
    func meanwhile() async throws {
        let queue = Queue()
        _ = try await queue.bench.signedIn(seed: 9)
        let auth = try queue.bench.process()
        let hub = auth.engine.accounts.hub
        queue.bench.store.script(afterRead: {
            hub.tell(.gap)
            throw AuthError(.store(.unavailable), "gone")
        })
        let workers = queue.workers(1, auth)
        // Without the clock, so that no pause ends.
        try await queue.bench.until { queue.isDelivered }
        try await workers.value
    }

    @Test("cancelling a worker ends its sequence, and nobody else's")
    func cancelled() async throws {
        let queue = Queue()
        let auth = try queue.bench.process()
        let (first, second) = (queue.workers(1, auth), queue.workers(1, auth))
        try await queue.bench.until { auth.engine.accounts.hub.listenerCount == 2 }
        first.cancel()
        try await first.value
        _ = try await auth.signIn(with: "scripted", .anonymous)
        try await second.value
        #expect(queue.isDelivered)
    }

    @Test("when the client is released, whoever waits is let go")
    func released() async throws {
        let bench = Bench()
        var auth: AuthClient? = try bench.process()
        let leaves = try #require(auth?.whenSignedIn)
        let waiting = Task { await leaves.first { _ in true } == nil }
        try await bench.until { leaves.engine.accounts.hub.listenerCount == 1 }
        auth = nil
        #expect(await waiting.value)
        #expect(await leaves.first { _ in true } == nil)
    }
}
