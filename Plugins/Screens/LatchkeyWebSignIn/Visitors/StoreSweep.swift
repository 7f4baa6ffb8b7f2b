import Latchkey
import LatchkeySystem

/// Cleans the store up: what browsers have left in it that do not come back. One process at a time does it for all that
/// share the store, once in a while, a slice at a time.
///
/// | What is found | What becomes of it |
/// | --- | --- |
/// | A browser's session whose time is over | it is signed out, and the services are told |
/// | A guest whose cookie has ended | its part is erased |
/// | A guest that the lists do not know | it is put into one, and has an hour from now on |
/// | A part with a session that no record leads to | it is signed out; erased when nothing is owed to a service |
/// | A browser in a person's list without a record | it is taken out of the list |
final class StoreSweep: Sendable {
    /// How many parts of the store are looked at before the others get their turn.
    private static let slice = 50
    private static let pause = Duration.milliseconds(200)

    private let web: WebSweeping
    private let context: PluginContext
    private let period: Duration
    /// When to look next, in seconds since 1970, and whether a clean-up goes on.
    private let state = Locked((next: Int64.min, isRunning: false))

    init(_ web: WebSweeping, every period: Duration, context: PluginContext) {
        (self.web, self.period, self.context) = (web, period, context)
    }

    /// Whether this process cleans up now.
    var isRunning: Bool { state.withLock { $0.isRunning } }

    /// Starts a clean-up in the background if it is time for one.
    func wake() {
        let now = web.records.now
        let isTime = state.withLock { state in
            // A time that is far ahead is of a clock that was wrong.
            guard !state.isRunning, now >= state.next || state.next > now + 2 * period.seconds else { return false }
            state.isRunning = true
            return true
        }
        guard isTime else { return }
        context.start("clean up") { [self] in
            let next = (try? await run()) ?? now + 60
            state.withLock { $0 = (next, false) }
        }
    }

    /// - Returns: When to look next.
    func run() async throws -> Int64 {
        let records = web.records
        if let next = try await records.takeSweep(for: period.seconds) { return next }
        try await inSlices(try await records.visitors()) { try await self.endOver($0) }
        try await inSlices(try await web.partitions()) { try await self.clear($0) }
        try? await records.pruneBrowsers()
        try await records.keepSweep(for: period.seconds)
        return records.now + period.seconds
    }

    /// Does `work` for each ID. What fails for one is tried again by the next clean-up.
    private func inSlices(_ ids: [String], _ work: (String) async throws -> Void) async throws {
        for (number, id) in ids.enumerated() {
            if number > 0, number % Self.slice == 0 {
                try await web.records.keepSweep(for: period.seconds)
                try await context.clock.sleep(until: context.clock.now() + Self.pause)
            }
            try? await work(id)
        }
    }

    private func endOver(_ id: String) async throws {
        let record: VisitorRecord?
        do { record = try await web.records.visitor(id) } catch is AuthError {
            // Damaged: its cookie is worth nothing.
            return try await web.forget(id)
        }
        guard let record, record.isOver(at: web.records.now, web.limits) else { return }
        try await web.end(id, record)
    }

    private func clear(_ id: String) async throws {
        guard try await web.records.visitor(id) == nil else { return }
        let now = web.records.now
        if let guest = try? await web.records.guest(id) {
            guard guest.end <= now else { return }
            try await web.records.leave(id)
        } else if try await web.isIdle(id) {
            // Of an earlier version, or of a list that was damaged: it has its hour from now on, if there is room.
            let guest = GuestList.Guest(id: id, came: now, end: now + web.limits.guest.seconds, bytes: 0, place: "")
            for gone in try await web.records.enter(guest, web.guests) { _ = try await web.erase(gone) }
            return
        }
        if try await !web.erase(id) { try await web.signOut(id) }
    }
}

/// What a clean-up does with the browsers of the pages.
struct WebSweeping: Sendable {
    let records: VisitorRecords
    let limits: BrowserSessionLimits
    let guests: GuestLimits
    /// The IDs of all browsers that have something in the store.
    let partitions: @Sendable () async throws -> [String]
    /// Ends a session whose time is over.
    let end: @Sendable (String, VisitorRecord) async throws -> Void
    /// Takes a record away that cannot be read.
    let forget: @Sendable (String) async throws -> Void
    /// Whether no session is in a browser's part.
    let isIdle: @Sendable (String) async throws -> Bool
    /// Erases a browser's part if there is no session in it, and returns whether it is gone.
    let erase: @Sendable (String) async throws -> Bool
    /// Signs out whatever is in a browser's part, and erases it if nothing is owed to a service.
    let signOut: @Sendable (String) async throws -> Void
}
