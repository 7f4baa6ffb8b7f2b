public import Latchkey
import LatchkeyLocked

/// A disk in memory that several simulated processes use, each by its own ``SimulatedFiles``, and that fails and
/// crashes on demand.
///
/// It keeps what a program sees apart from what a power loss would leave: a file's content is safe once it was
/// flushed, a name once its directory was. There is `/tmp` (sticky) and `/home/alice` (owner 1000, 0700).
public final class SimulatedDisk: Sendable {
    /// What may fail. The changing ones are steps that a crash can be set before.
    public enum Operation: String, CaseIterable, Sendable {
        /// Looks at something.
        case status, read, list
        /// Changes something.
        case makeDirectory, create, write, flush, setMode, rename, syncDirectory, remove, lock
    }

    /// What a crash takes.
    public enum Loss: Sendable {
        /// Nothing: the programs died, the machine did not.
        case nothing
        /// Everything that was not flushed: power loss at the worst.
        case unsynced
        /// Some of what was not flushed, as a journal or cache might: each file and name on its own.
        case some(seed: UInt64)
    }

    struct State {
        var tree = DiskTree()
        var crashes = 0
        var steps = 0
        var crash: (step: Int, loss: Loss)?
        var failure: (step: Int, error: FileError)?
        var capacity = Int.max
        var fault: (@Sendable (Operation, String) -> FileError?)?
        var strike: (left: Int, process: Int?, strikes: @Sendable () -> Void)?
        var locks: [Int: [(process: Int, token: Int, sharing: Bool)]] = [:]
        var nextToken = 1
        var nextProcess = 1
        var killed: Set<Int> = []
        var observers: [Int: @Sendable (Operation, String) -> Void] = [:]
    }

    /// The number of `errno` that a dead process's calls fail with: EIO.
    static let inputOutput = FileError.failed(5)

    let state: Locked<State>

    /// An empty disk.
    public init() {
        var tree = DiskTree()
        _ = tree.add(.init(kind: .directory, mode: 0o1777), named: "tmp", in: DiskTree.root)
        let home = tree.add(.init(kind: .directory, mode: 0o755), named: "home", in: DiskTree.root)
        _ = tree.add(.init(kind: .directory, mode: 0o700, owner: 1_000), named: "alice", in: home)
        tree.flushAll()
        state = Locked(State(tree: tree))
    }

    /// How many changing steps were taken.
    public var steps: Int { state.withLock { $0.steps } }

    /// How often it has crashed.
    public var crashes: Int { state.withLock { $0.crashes } }

    /// Crashes at once: every process dies, their locks are free.
    public func crash(losing loss: Loss) { state.withLock { $0.crashNow(loss) } }

    /// Crashes instead of the changing step number `step`, counted as ``steps`` does from 1.
    public func crash(atStep step: Int, losing loss: Loss) { state.withLock { $0.crash = (step, loss) } }

    /// Fails the changing step number `step` with `error`, once, counted as ``steps`` does from 1.
    public func fail(atStep step: Int, with error: FileError) { state.withLock { $0.failure = (step, error) } }

    /// Calls `strikes` before the changing step that is `step` steps from now, counted from 1: of any process, or of
    /// `files`' alone. What it kills there, dies between two changes of the disk. `nil` for `strikes`: no more.
    public func strike(beforeStep step: Int, of files: SimulatedFiles? = nil, _ strikes: (@Sendable () -> Void)?) {
        let strike = strikes.map { (left: step, process: files?.process, strikes: $0) }
        let former = state.withLock { state in
            defer { state.strike = strike }
            return state.strike
        }
        goes(former)
    }

    /// Asks `fault` before each operation; what it returns is thrown. It must not use the disk.
    public func inject(_ fault: (@Sendable (Operation, String) -> FileError?)?) {
        let former = state.withLock { state in
            defer { state.fault = fault }
            return state.fault
        }
        goes(former)
    }

    /// Bounds the bytes of all files; further ones are ``/Latchkey/FileError/full``.
    public func setCapacity(_ bytes: Int) { state.withLock { $0.capacity = bytes } }

    /// Puts a file there, durably, as another program would.
    public func put(_ path: String, _ bytes: [UInt8], mode: UInt32 = 0o600, owner: UInt32 = 1_000) throws {
        try state.withLock { state in
            let (directory, name) = try state.tree.place(path)
            _ = state.tree.add(.init(mode: mode, owner: owner, bytes: bytes), named: name, in: directory)
            state.tree.flushAll()
        }
    }

    /// Takes away what is at `path`, with everything in it, as a person would by hand. Locks on it stay held.
    public func take(_ path: String) throws {
        try state.withLock { state in
            let (directory, name) = try state.tree.place(path)
            state.tree.name(name, in: directory, nil)
            state.tree.flushAll()
        }
    }

    /// Moves what is at `path`, with everything in it, durably, as somebody who may write both directories would.
    public func move(_ path: String, to target: String) throws {
        try state.withLock { state in
            let (from, to) = (try state.tree.place(path), try state.tree.place(target))
            guard let node = state.tree.nodes[from.directory]?.entries[from.name] else { throw FileError.missing }
            state.tree.name(from.name, in: from.directory, nil)
            state.tree.name(to.name, in: to.directory, node)
            state.tree.nodes[from.directory]?.flushedEntries[from.name] = nil
            state.tree.nodes[to.directory]?.flushedEntries[to.name] = node
        }
    }

    /// Puts a symbolic link there.
    public func putLink(_ path: String, to target: String, owner: UInt32 = 1_000) throws {
        try state.withLock { state in
            let (directory, name) = try state.tree.place(path)
            _ = state.tree.add(
                .init(kind: .link, mode: 0o777, owner: owner, target: target), named: name, in: directory)
            state.tree.flushAll()
        }
    }

    /// Puts a directory there.
    public func putDirectory(_ path: String, mode: UInt32 = 0o700, owner: UInt32 = 1_000) throws {
        try state.withLock { state in
            let (directory, name) = try state.tree.place(path)
            _ = state.tree.add(.init(kind: .directory, mode: mode, owner: owner), named: name, in: directory)
            state.tree.flushAll()
        }
    }

    /// Changes what is at `path`; `nil` leaves it as it is.
    public func change(_ path: String, mode: UInt32? = nil, owner: UInt32? = nil, links: Int? = nil) throws {
        try state.withLock { state in
            guard let node = try state.tree.find(path) else { throw FileError.missing }
            if let mode { state.tree.nodes[node]?.mode = mode }
            if let owner { state.tree.nodes[node]?.owner = owner }
            if let links { state.tree.nodes[node]?.links = links }
        }
    }

    /// Calls `tell` after each name that came or went by a program's doing, and after each directory that was flushed,
    /// until ``unobserve(_:)`` of what this returns. It may use the disk.
    public func observe(_ tell: @escaping @Sendable (Operation, String) -> Void) -> Int {
        state.withLock { state in
            defer { state.nextToken += 1 }
            state.observers[state.nextToken] = tell
            return state.nextToken
        }
    }

    /// Calls it no more.
    public func unobserve(_ number: Int) { goes(state.withLock { $0.observers.removeValue(forKey: number) }) }

    /// Holds what was let go until the lock is free, also where the optimizer would not: its end may use the disk.
    private func goes(_ former: Any?) { withExtendedLifetime(former) {} }

    /// What a power loss at the worst would leave at `path`; `nil`: nothing.
    public func durable(_ path: String) throws -> [UInt8]? {
        try state.withLock { state in
            let (directory, name) = try state.tree.place(path)
            return state.tree.nodes[directory]?.flushedEntries[name].flatMap { state.tree.nodes[$0]?.flushed }
        }
    }

    /// The content at `path`, past all faults.
    public func content(_ path: String) throws -> [UInt8]? {
        try state.withLock { state in try state.tree.find(path).flatMap { state.tree.nodes[$0]?.bytes } }
    }

    /// The names in a directory, sorted, past all faults.
    public func names(_ path: String) throws -> [String] {
        try state.withLock { state in
            try state.tree.find(path).flatMap { state.tree.nodes[$0]?.entries.keys.sorted() } ?? []
        }
    }
}

extension SimulatedDisk.State {
    mutating func crashNow(_ loss: SimulatedDisk.Loss) {
        crashes += 1
        crash = nil
        locks = [:]
        switch loss {
        case .nothing: break
        case .unsynced: tree.losePower(nil)
        case .some(let seed): tree.losePower(SeededRandom(seed: seed))
        }
    }
}
