import FoundationEssentials
import Latchkey
import LatchkeySystem
import Proofs
import Testing

@testable import LatchkeyPassphrase
@testable import LatchkeyTesting

@Suite("Attempt limit")
struct AttemptLimitTests {
    static let folder = "/home/alice/limits"
    static let path = "\(folder)/unlock.tries"
    private let clock = ManualClock()
    private let disk = SimulatedDisk()

    private func context(seed: UInt64 = 1) -> PluginContext {
        .testing(clock: clock, seed: seed, files: SimulatedFiles(on: disk))
    }

    private func limit(seed: UInt64 = 1, wipe: AttemptLimit.Wipe? = nil) -> AttemptLimit {
        AttemptLimit(in: Self.folder, wipe: wipe, context: context(seed: seed))
    }

    /// Tries a wrong one. How long to wait where there was no try.
    private func wrong(_ limit: AttemptLimit) async throws -> Duration? {
        do {
            try await limit.attempt { throw AuthError(.refused(.wrongInput), "wrong") }
            Issue.record("a wrong try passed")
        } catch let error as AuthError where error.code == .unlockUnavailable(.lockedOut) {
            return error.retryAfter
        } catch let error as AuthError {
            #expect(error.code == .refused(.wrongInput))
        }
        return nil
    }

    @Test("waits 5, 15, 60 and 300 seconds, from the third wrong try on, and not a moment less", .need("L5"))
    func waits() async throws {
        let limit = limit()
        for wait in [0, 0, 5, 15, 60, 300, 300] {
            #expect(try await wrong(limit) == nil)
            #expect(try limit.rest() == (wait == 0 ? nil : .seconds(wait)))
            guard wait > 0 else { continue }
            clock.advance(by: .seconds(wait) - .milliseconds(1))
            #expect(try await wrong(limit) == .milliseconds(1))
            clock.advance(by: .milliseconds(1))
        }
    }

    @Test("a try that is not made does not make the wait longer")
    func refused() async throws {
        let limit = limit()
        for _ in 1...3 { _ = try await wrong(limit) }
        for _ in 1...20 { #expect(try await wrong(limit) == .seconds(5)) }
        #expect(try limit.failures() == 3)
    }

    @Test("a right try begins the count anew, and none is let in while it waits")
    func right() async throws {
        let limit = limit()
        for _ in 1...3 { _ = try await wrong(limit) }
        let ran = Locked(false)
        await #expect(throws: AuthError.self) { try await limit.attempt { ran.withLock { $0 = true } } }
        #expect(!ran.withLock { $0 })
        clock.advance(by: .seconds(5))
        try await limit.attempt {}
        #expect(try limit.failures() == 0)
    }

    @Test("setting the wall clock, back or forth, changes nothing", arguments: [-86_400.0, 86_400])
    func wallClock(by seconds: Double) async throws {
        let limit = limit()
        for _ in 1...3 { _ = try await wrong(limit) }
        clock.setWall(clock.wall().addingTimeInterval(seconds))
        #expect(try await wrong(limit) == .seconds(5))
        clock.advance(by: .seconds(5))
        #expect(try await wrong(limit) == nil)
    }

    @Test("after a restart the wait goes on, with the clock set back never longer than it was")
    func restart() async throws {
        for _ in 1...4 {
            _ = try await wrong(limit())
            if try limit().failures() == 3 { clock.advance(by: .seconds(5)) }
        }
        clock.advance(by: .seconds(5))
        clock.setBoot("second-boot")
        let rest = try limit(seed: 2).rest() ?? .zero
        #expect(rest >= .seconds(10) && rest <= .seconds(11))
        clock.setWall(clock.wall().addingTimeInterval(-86_400))
        #expect(try await wrong(limit(seed: 3)) == .seconds(15))
        clock.setWall(clock.wall().addingTimeInterval(86_400 + 12))
        #expect(try await wrong(limit(seed: 4)) == nil)
        #expect(try limit().failures() == 5)
    }

    @Test(
        "a clock that was ahead before a restart locks nobody out for longer than one wait",
        arguments: [86_400.0, 34_560_000.0, 4e10])
    func aheadBeforeRestart(by seconds: Double) async throws {
        for _ in 1...3 { _ = try await wrong(limit()) }
        let right = clock.wall()
        clock.setWall(right.addingTimeInterval(seconds))
        clock.advance(by: .seconds(5))
        _ = try await wrong(limit())
        clock.setBoot("second-boot")
        clock.setWall(right)
        #expect(try limit(seed: 2).rest() == .seconds(15))
        clock.advance(by: .seconds(14))
        #expect(try limit(seed: 3).rest() == .seconds(1))
        #expect(try await wrong(limit(seed: 3)) == .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(try limit(seed: 4).rest() == nil)
        #expect(try await wrong(limit(seed: 4)) == nil)
    }

    @Test("a machine that has run for longer than the wait has waited, whatever its clock says")
    func uptime() async throws {
        for _ in 1...3 { _ = try await wrong(limit()) }
        clock.setBoot("second-boot", uptime: .seconds(6))
        clock.setWall(clock.wall().addingTimeInterval(-86_400))
        #expect(try limit(seed: 2).rest() == nil)
    }

    @Test("a damaged count, or one with a time that is too far away, is waited for once", arguments: [true, false])
    func endless(isDamaged: Bool) async throws {
        _ = try await wrong(limit())
        let far =
            #"{"boot":"\#(clock.boot)","failures":4,"kind":"latchkey.tries","until":\#(Int64.max / 2),"wall":\#(Int64.max)}"#
        try disk.put(Self.path, isDamaged ? [0x7B] : Array(far.utf8))
        let wait = Duration.seconds(isDamaged ? 300 : 15)
        let unlock = PassphraseUnlock(limit: limit(), context: context(), asking: { _ in nil })
        let prompt = UnlockPrompt(reason: "test")
        await #expect(throws: AuthError.self) { _ = try await unlock.unlock(prompt) { _ in } }
        #expect(try limit(seed: 2).rest() == wait)
        clock.advance(by: wait - .seconds(1))
        #expect(try limit(seed: 3).rest() == .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(try limit(seed: 4).rest() == nil)
        #expect(try await wrong(limit(seed: 5)) == nil)
    }

    @Test("a process that dies during a try has had it, wherever it dies")
    func killed() async throws {
        for step in 0..<40 {
            let disk = SimulatedDisk()
            let limit = AttemptLimit(
                in: Self.folder, context: .testing(clock: clock, files: SimulatedFiles(on: disk)))
            for _ in 1...2 { _ = try await wrong(limit) }
            let tried = Locked(false)
            disk.crash(atStep: disk.steps + step, losing: .unsynced)
            _ = try? await limit.attempt {
                tried.withLock { $0 = true }
                throw AuthError(.refused(.wrongInput), "wrong")
            }
            disk.crash(losing: .unsynced)
            let after = AttemptLimit(
                in: Self.folder, context: .testing(clock: clock, seed: 2, files: SimulatedFiles(on: disk)))
            if tried.withLock({ $0 }) { #expect(try after.failures() == 3, "step \(step)") }
            #expect(try after.failures() >= 2, "step \(step)")
        }
    }

    @Test("a damaged count is as good as many wrong tries", arguments: [[], [0x7B], Array("{}".utf8), [0xFF, 0, 1]])
    func damaged(_ bytes: [UInt8]) async throws {
        _ = try await wrong(limit())
        try disk.put(Self.path, bytes)
        #expect(try limit().rest() == .seconds(300))
        #expect(try await wrong(limit()) == .seconds(300))
        let unlock = PassphraseUnlock(limit: limit(), context: context(), asking: { _ in nil })
        #expect(unlock.availability() == .lockedOut(.seconds(300)))
    }

    @Test("an error that says nothing of the secret takes the try back")
    func otherErrors() async throws {
        let limit = limit()
        for _ in 1...10 {
            await #expect(throws: AuthError.self) {
                try await limit.attempt { throw AuthError(.store(.unavailable), "the disk is away") }
            }
            await #expect(throws: CancellationError.self) { try await limit.attempt { throw CancellationError() } }
        }
        #expect(try limit.failures() == 0)
        #expect(try limit.rest() == nil)
    }

    @Test("where the try cannot be counted, there is none")
    func fullDisk() async throws {
        let limit = limit()
        disk.setCapacity(0)
        let ran = Locked(false)
        await #expect(throws: AuthError.self) { try await limit.attempt { ran.withLock { $0 = true } } }
        #expect(!ran.withLock { $0 })
    }

    @Test("a directory that others may write to is refused, and the person is not asked")
    func openDirectory() async throws {
        _ = try await wrong(limit())
        try SimulatedFiles(on: disk).setMode(Self.folder, 0o777)
        let asked = Locked(false)
        let unlock = PassphraseUnlock(limit: limit(), context: context()) { _ in
            asked.withLock { $0 = true }
            return Secret("anything")
        }
        let error = await #expect(throws: AuthError.self) {
            _ = try await unlock.unlock(UnlockPrompt(reason: "Try")) { _ in }
        }
        #expect(error?.code == .store(.insecurePermissions))
        #expect(!asked.withLock { $0 })
    }

    @Test(
        "with the person's consent everything is destroyed after the last try, also when that was cut short",
        .need("L5"))
    func wipe() async throws {
        let wiped = Locked(0)
        let wipe = AttemptLimit.Wipe(after: 4) {
            let count = wiped.withLock { count in
                count += 1
                return count
            }
            if count == 1 { throw AuthError(.store(.unavailable), "the disk is away") }
        }
        let limit = limit(wipe: wipe)
        for _ in 1...3 { _ = try await wrong(limit) }
        #expect(wiped.withLock { $0 } == 0)
        clock.advance(by: .seconds(5))
        await #expect(throws: AuthError.self) {
            try await limit.attempt { throw AuthError(.refused(.wrongInput), "wrong") }
        }
        #expect(wiped.withLock { $0 } == 1)
        clock.advance(by: .seconds(300))
        // The next process makes up for it before anybody tries.
        _ = try await wrong(self.limit(seed: 2, wipe: wipe))
        #expect(wiped.withLock { $0 } == 2)
        #expect(try limit.failures() == 1)
    }

    @Test("eight processes that guess at once have no more tries than one")
    func eightProcesses() async throws {
        try await TemporaryFolder.with { folder in
            let program = StoreProcessContract.Program.built("guess-member").path
            let outputs = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 1...8 { group.addTask { try await ProgramOutput.of(program, [folder["limits"], "40"]) } }
                return try await group.reduce(into: [String]()) { $0.append($1) }
            }
            let guesses = outputs.joined(separator: "\n").split(separator: "\n").count { $0 == "guess" }
            #expect(!outputs.contains { $0.contains("failed") }, "\(outputs)")
            // Three at once; a slow machine may come to the fourth, five seconds later, and not to the fifth.
            #expect((3...4).contains(guesses), "\(guesses) guesses")
            #expect(try AttemptLimit(in: folder["limits"]).failures() == guesses)
        }
    }
}
