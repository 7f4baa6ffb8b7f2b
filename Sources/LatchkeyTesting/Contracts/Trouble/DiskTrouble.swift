import Latchkey
import LatchkeySystem

/// What is wrong with ``TroubledFiles`` at the moment, and what was done with them.
final class DiskTrouble: Sendable {
    private struct State {
        /// The damage to the file of this name, as it is read.
        var damage: (name: String, Damage)?
        var isUnreadable = false
        /// How many more writes succeed; `nil`: all.
        var writesLeft: Int?
        var isHeldElsewhere = false
        var damaged = 0
        var locks = 0
        var changes = 0
        var names: [String] = []
        var renewed: Set<String> = []
        var written: [UInt8] = []
    }

    private static let mostKept = 1 << 20
    private let state = Locked(State())

    /// From now on the file of this name reads as damaged, until it is written anew.
    func damage(_ name: String, _ damage: Damage) {
        state.withLock { state in
            state.damage = (name, damage)
            state.renewed = []
        }
    }

    /// From now on no file can be read.
    func stopReading() { state.withLock { $0.isUnreadable = true } }

    /// From now on the disk is full, after so many more steps of writing.
    func fill(after writes: Int) { state.withLock { $0.writesLeft = writes } }

    /// From now on another process holds every lock.
    func holdLocks() { state.withLock { $0.isHeldElsewhere = true } }

    /// From now on nothing is wrong any more.
    func end() {
        state.withLock { state in
            (state.damage, state.isUnreadable, state.writesLeft, state.isHeldElsewhere) = (nil, false, nil, false)
        }
    }

    /// The names of the files that were read, in the order of their first reading.
    var names: [String] { state.withLock { $0.names } }
    /// How often something was read damaged.
    var damaged: Int { state.withLock { $0.damaged } }
    /// How often a lock was tried.
    var locks: Int { state.withLock { $0.locks } }
    /// How often something on the disk was changed.
    var changes: Int { state.withLock { $0.changes } }
    /// What was written, one after the other.
    var written: [UInt8] { state.withLock { $0.written } }

    func read(_ path: String, _ bytes: [UInt8]) throws -> [UInt8] {
        try state.withLock { state in
            let name = Self.name(path)
            if !state.names.contains(name) { state.names.append(name) }
            if state.isUnreadable {
                state.damaged += 1
                throw FileError.failed(5)
            }
            guard let (damagedName, damage) = state.damage, damagedName == name, !state.renewed.contains(name),
                let left = damage.done(to: bytes)
            else { return bytes }
            state.damaged += 1
            return left
        }
    }

    /// - Parameter path: What becomes new; `nil` if it is no file.
    func willWrite(_ path: String?, _ bytes: [UInt8]) throws {
        try state.withLock { state in
            if let left = state.writesLeft {
                guard left > 0 else { throw FileError.full }
                state.writesLeft = left - 1
            }
            state.changes += 1
            if let path { state.renewed.insert(Self.name(path)) }
            if state.written.count < Self.mostKept { state.written += bytes }
        }
    }

    func removed() { state.withLock { $0.changes += 1 } }

    func isHeldElsewhere() -> Bool {
        state.withLock { state in
            state.locks += 1
            return state.isHeldElsewhere
        }
    }

    private static func name(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}
