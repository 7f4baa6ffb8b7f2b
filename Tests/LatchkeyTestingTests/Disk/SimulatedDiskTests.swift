import LatchkeySystem
import LatchkeyTesting
import Testing

@Suite("The simulated disk")
struct SimulatedDiskTests {
    /// Uses the disk when it goes, as a store's watch does.
    private final class Leaver: Sendable {
        let disk: SimulatedDisk
        let left: Locked<Int>

        init(_ disk: SimulatedDisk, _ left: Locked<Int>) { (self.disk, self.left) = (disk, left) }

        deinit {
            disk.unobserve(0)
            left.withLock { $0 += 1 }
        }

        func stay() {}
    }

    @Test("a directory that another process has made in the meantime stays, with what is in it")
    func madeMeanwhile() throws {
        let disk = SimulatedDisk()
        let (first, second) = (SimulatedFiles(on: disk), SimulatedFiles(on: disk))
        disk.strike(beforeStep: 1, of: first) {
            try? second.makeDirectory("/home/alice/kept")
            try? second.writeNew("/home/alice/kept/a", [1])
        }
        try first.makeDirectory("/home/alice/kept")
        #expect(try disk.content("/home/alice/kept/a") == [1])
    }

    @Test("what the disk was the last to hold may use the disk as it goes", .timeLimit(.minutes(1)))
    func lastHolder() {
        let disk = SimulatedDisk()
        let left = Locked(0)
        func leaver() -> @Sendable () -> Void {
            let leaver = Leaver(disk, left)
            return { leaver.stay() }
        }
        disk.strike(beforeStep: 5, leaver())
        disk.strike(beforeStep: 5, nil)
        #expect(left.withLock(\.self) == 1)
        disk.unobserve(disk.observe { [leaver = leaver()] _, _ in leaver() })
        #expect(left.withLock(\.self) == 2)
        disk.inject { [leaver = leaver()] _, _ in
            leaver()
            return nil
        }
        disk.inject(nil)
        #expect(left.withLock(\.self) == 3)
    }
}
