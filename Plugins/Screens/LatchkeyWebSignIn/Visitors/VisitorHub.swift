import Latchkey
import LatchkeyModel

/// The browsers whose clients are in memory. A client is made from the store when its browser asks for something,
/// and closed when the browser was silent for a while, or others need the room.
actor VisitorHub {
    /// Makes the client of one browser.
    typealias Building = @Sendable (any SessionStore, TypedProof) throws -> AuthClient

    private struct Entry {
        let visitor: Visitor
        /// How many requests use it now.
        var uses = 0
        /// Whether nobody is signed in there.
        var isGuest: Bool
        var last: MonotonicInstant

        func isSilent(for time: Duration, at now: MonotonicInstant) -> Bool { uses == 0 && last + time <= now }
    }

    private let partition: @Sendable (String) -> any SessionStore
    private let erase: @Sendable (String) async throws -> Void
    /// Erases a browser's part if it has no session in it, in one commit; returns whether it is gone.
    private let eraseIdle: @Sendable (String) async throws -> Bool
    /// Whether a browser has a record, so that its part of the store is kept.
    private let isKept: @Sendable (String) async throws -> Bool
    /// Whether a browser has something in the store.
    private let isStored: @Sendable (String) async throws -> Bool
    private let build: Building
    private let options: WebSignInOptions
    private let context: PluginContext
    private let turns = LockQueue()
    private var entries: [String: Entry] = [:]
    /// Clients that store their last results. A new one of the same browser waits for that.
    private var closing: [String: [CheckedContinuation<Void, Never>]] = [:]
    private var blankVisitor: Visitor?
    private var isSweeping = false
    private var isEnded = false

    init(
        _ options: WebSignInOptions, context: PluginContext,
        partition: @escaping @Sendable (String) -> any SessionStore,
        erase: @escaping @Sendable (String) async throws -> Void,
        eraseIdle: @escaping @Sendable (String) async throws -> Bool,
        isKept: @escaping @Sendable (String) async throws -> Bool,
        isStored: @escaping @Sendable (String) async throws -> Bool, build: @escaping Building
    ) {
        self.options = options
        self.context = context
        self.partition = partition
        self.erase = erase
        self.eraseIdle = eraseIdle
        self.isKept = isKept
        self.isStored = isStored
        self.build = build
    }

    /// The number of clients in memory.
    var count: Int { entries.count }

    /// Returns a visitor that stands for all who have not sent a form yet. They cost nothing until they do.
    func blank() throws -> Visitor {
        if let known = blankVisitor { return known }
        let proof = TypedProof()
        let client = try build(MemoryStore(context: context), proof)
        let made = Visitor(id: "", client: client, proof: proof, WayBack(nil), options.model, context)
        blankVisitor = made
        return made
    }

    /// Runs `work` with the browser's client, which stays in memory meanwhile.
    func with<Value: Sendable>(
        _ id: String, asGuest isGuest: Bool, _ work: @Sendable (Visitor) async throws -> Value
    ) async throws -> Value {
        let visitor = try await open(id, isGuest)
        defer { leave(id) }
        return try await work(visitor)
    }

    /// Runs `work` as ``with(_:asGuest:_:)`` does, and alone among the requests of the same browser.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `busy` if the others take too long.
    func alone<Value: Sendable>(
        _ id: String, asGuest isGuest: Bool, _ work: @Sendable (Visitor) async throws -> Value
    ) async throws -> Value {
        try await with(id, asGuest: isGuest) { visitor in
            let key = StoreKey(.settings, id)
            guard let turn = try await turns.acquire(key, deadline: .seconds(60), clock: context.clock) else {
                throw AuthError(.busy, "Other requests of this browser take too long.")
            }
            defer { turns.release(turn, of: key) }
            return try await work(visitor)
        }
    }

    /// Whether the browser's client is in memory, or has something in the store.
    func isKnown(_ id: String) async throws -> Bool {
        if entries[id] != nil || closing[id] != nil { return true }
        return try await isStored(id)
    }

    /// Notes that somebody has signed in there.
    func signedIn(_ id: String) { entries[id]?.isGuest = false }

    private func open(_ id: String, _ isGuest: Bool) async throws -> Visitor {
        while closing[id] != nil { await withCheckedContinuation { closing[id, default: []].append($0) } }
        let now = context.clock.now()
        if entries[id] == nil {
            guard !isEnded else { throw AuthError(.busy, "The server is being stopped.") }
            let proof = TypedProof()
            let client = try build(partition(id), proof)
            let visitor = Visitor(
                id: id, client: client, proof: proof, WayBack(partition(id)), options.model, context)
            entries[id] = Entry(visitor: visitor, isGuest: isGuest, last: now)
            sweepLater()
        }
        // Counted before room is made, so that it is not the one that makes room.
        entries[id]?.uses += 1
        entries[id]?.last = now
        entries[id]?.isGuest = isGuest
        makeRoom(forGuest: isGuest)
        guard let entry = entries[id] else { throw AuthError(.busy, "The browser's client was closed.") }
        return entry.visitor
    }

    private func leave(_ id: String) {
        entries[id]?.uses -= 1
        entries[id]?.last = context.clock.now()
    }
}

// MARK: Closing

extension VisitorHub {
    /// Closes every client, after what is under way.
    func end() async {
        isEnded = true
        let visitors = entries.values.map(\.visitor)
        entries = [:]
        for visitor in visitors { await visitor.client.finish() }
    }

    /// Closes the clients that were not used for the longest time if there are too many, several at once so that
    /// this is rare. Guests go first, and make no room for themselves among those who are signed in, whose unlock would
    /// be lost.
    private func makeRoom(forGuest isGuest: Bool) {
        guard entries.count > options.openLimit else { return }
        let idle = entries.filter { $0.value.uses == 0 && ($0.value.isGuest || !isGuest) }.sorted { first, second in
            guard first.value.isGuest == second.value.isGuest else { return first.value.isGuest }
            return first.value.last < second.value.last
        }
        for (id, _) in idle.prefix(max(1, options.openLimit / 20)) { closeLater(id) }
    }

    /// One task looks for silent browsers while there are any.
    private func sweepLater() {
        guard !isSweeping else { return }
        isSweeping = true
        let (clock, rest) = (context.clock, options.openTime)
        context.start("visitors") { [weak self] in
            repeat {
                guard (try? await clock.sleep(until: clock.now() + rest / 2)) != nil else { return }
            } while await self?.sweep() ?? false
        }
    }

    /// - Returns: Whether to look again later.
    private func sweep() async -> Bool {
        for (id, entry) in entries {
            guard entry.isSilent(for: options.openTime, at: context.clock.now()) else { continue }
            // A conversation waits as long as its pages can be used.
            let isBusy = await entry.visitor.pages.isBusy
            let limit = isBusy ? max(options.openTime, options.limits.guest) : options.openTime
            // Somebody may have come meanwhile.
            guard entries[id]?.isSilent(for: limit, at: context.clock.now()) ?? false else { continue }
            closeLater(id, erasing: .unlessSomethingIsOpen)
        }
        isSweeping = !entries.isEmpty && !isEnded
        return isSweeping
    }

    /// What becomes of a closed browser's part of the store, if the browser has no record any more.
    private enum Erasing: Sendable {
        /// Nothing: the browser may come back.
        case never
        /// It is removed, unless a credential in it shows that a service may have to be told of a sign-out.
        case unlessSomethingIsOpen
        /// It is removed: the services were told.
        case always
    }

    /// Closes a guest's client, and removes what it has stored, unless it is signed in by now. Others need the room.
    func evict(_ id: String) async {
        guard entries[id] != nil else {
            // What cannot be erased now is found by the clean-up.
            try? await erase(id, .unlessSomethingIsOpen)
            return
        }
        guard entries[id]?.uses ?? 0 == 0 else { return }
        closeLater(id, erasing: .unlessSomethingIsOpen)
    }

    /// Closes a browser's client, and removes what it has stored, unless somebody uses it. The services were told.
    func discard(_ id: String) {
        guard entries[id]?.uses ?? 0 == 0 else { return }
        closeLater(id, erasing: .always)
    }

    private func closeLater(_ id: String, erasing: Erasing = .never) {
        guard let visitor = entries.removeValue(forKey: id)?.visitor else { return }
        closing[id] = closing[id] ?? []
        context.start("close visitor") { [weak self] in
            await visitor.client.finish()
            if erasing != .never { try? await self?.erase(id, erasing) }
            await self?.closed(id)
        }
    }

    /// Removes the part of a browser that nobody can come back to, such as a challenge that was never answered.
    private func erase(_ id: String, _ erasing: Erasing) async throws {
        guard try await !isKept(id) else { return }
        if erasing == .unlessSomethingIsOpen {
            _ = try await eraseIdle(id)
        } else {
            try await erase(id)
        }
    }

    private func closed(_ id: String) {
        for waiting in closing.removeValue(forKey: id) ?? [] { waiting.resume() }
    }
}
