import Latchkey
import LatchkeyFileStore
import LatchkeyTesting

/// Another user of the machine, who got hold of a directory above the store.
extension History {
    private static let above = "/home/alice"
    private static let away = "/home/alice/away"

    func neighbourGetsIn() {
        guard scenario.isOnDisk else { return }
        switch draw(4) {
        case 0: try? disk.change(Self.above, mode: 0o770)
        case 1: try? disk.change(Self.above, mode: 0o777)
        case 2: try? disk.change(Self.above, owner: 1_001)
        default: try? disk.change("/home", mode: 0o1777, owner: 1_001)
        }
        if draw(2) == 0 { try? disk.move(Self.directory, to: Self.away) }
        lookBesideNeighbour()
    }

    /// All is as it was.
    func neighbourLeaves() {
        guard scenario.isOnDisk else { return }
        try? disk.change("/home", mode: 0o755, owner: 0)
        try? disk.change(Self.above, mode: 0o700, owner: 1_000)
        try? disk.move(Self.away, to: Self.directory)
    }

    /// Law 8: a process that starts now reads an error, and not that nobody is signed in.
    private func lookBesideNeighbour() {
        let store = FileStore(unencryptedAt: Self.directory, context: .testing(files: SimulatedFiles(on: disk)))
        do {
            let keys = try store.keys(.credential)
            violate(8, "where another user can take the store away, \(keys.count) sessions are found in it")
        } catch let error as AuthError where error.code == .store(.insecurePermissions) {
            count("store insecure")
        } catch {
            tell("the look beside the neighbour ended in \(error)")
        }
    }
}
