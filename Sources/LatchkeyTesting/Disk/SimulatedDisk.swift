public import Latchkey
import LatchkeySystem

/// A disk in memory that several simulated processes use, each through its own ``SimulatedFiles``.
/// It fails and crashes on demand.
///
/// It separates what a program sees from what a power loss would leave: a file's content is safe
/// once it was flushed, a name once its directory was flushed. It starts with `/tmp` (sticky) and
/// `/home/alice` (owner 1000, 0700).
public final class SimulatedDisk: Sendable {
    /// An operation that may fail. The changing ones are steps that a crash can be set before.
    public enum Operation: String, CaseIterable, Sendable {
        /// Inspects something.
        case status, read, list
        /// Changes something.
        case makeDirectory, create, write, fill, flush, setMode, rename, syncDirectory, remove, lock
    }

    /// What a crash loses.
    public enum Loss: Sendable {
        /// Nothing: the programs died, the machine did not.
        case nothing
        /// Everything that was not flushed: the worst power loss.
        case unsynced
        /// Some of what was not flushed, as with a journal or cache: each file and name separately.
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

    /// The error of a dead process's calls: `errno` EIO.
    static let inputOutput = FileError.failed(5)

    let state: Locked<State>

    /// Creates an empty disk.
    public init() {
        var tree = DiskTree()
        _ = tree.add(.init(kind: .directory, mode: 0o1777), named: "tmp", in: DiskTree.root)
        let home = tree.add(.init(kind: .directory, mode: 0o755), named: "home", in: DiskTree.root)
        _ = tree.add(.init(kind: .directory, mode: 0o755, owner: 1_000), named: "alice", in: home)
        tree.flushAll()
        state = Locked(State(tree: tree))
    }

    /// The number of changing steps so far.
    public var steps: Int { state.withLock { $0.steps } }

    /// The number of crashes so far.
    public var crashes: Int { state.withLock { $0.crashes } }

    /// Crashes now: every process dies, and their locks are free.
    public func crash(losing loss: Loss) { state.withLock { $0.crashNow(loss) } }

    /// Crashes instead of the changing step number `step`, counted from 1 as in ``steps``.
    public func crash(atStep step: Int, losing loss: Loss) { state.withLock { $0.crash = (step, loss) } }

    /// Fails the changing step number `step` with `error`, once, counted from 1 as in ``steps``.
    public func fail(atStep step: Int, with error: FileError) { state.withLock { $0.failure = (step, error) } }

    /// Calls `strikes` before the changing step that is `step` steps from now, counted from 1, of
    /// any process or only of `files`. A process that it kills dies between two changes of the
    /// disk. `nil` for `strikes` cancels this.
    public func strike(beforeStep step: Int, of files: SimulatedFiles? = nil, _ strikes: (@Sendable () -> Void)?) {
        let strike = strikes.map { (left: step, process: files?.process, strikes: $0) }
        let former = state.withLock { state in
            defer { state.strike = strike }
            return state.strike
        }
        goes(former)
    }

    /// Calls `fault` before each operation and throws the error it returns. `fault` must not use the disk.
    public func inject(_ fault: (@Sendable (Operation, String) -> FileError?)?) {
        let former = state.withLock { state in
            defer { state.fault = fault }
            return state.fault
        }
        goes(former)
    }

    /// Limits the bytes of all files; further bytes are ``/Latchkey/FileError/full``.
    public func setCapacity(_ bytes: Int) { state.withLock { $0.capacity = bytes } }

    /// Creates a file, durably, as another program would.
    public func put(_ path: String, _ bytes: [UInt8], mode: UInt32 = 0o600, owner: UInt32 = 1_000) throws {
        try state.withLock { state in
            let (directory, name) = try state.tree.place(path)
            _ = state.tree.add(.init(mode: mode, owner: owner, bytes: bytes), named: name, in: directory)
            state.tree.flushAll()
        }
    }

    /// Removes what is at `path`, with everything in it, as a person would by hand. Locks on it stay held.
    public func take(_ path: String) throws {
        try state.withLock { state in
            let (directory, name) = try state.tree.place(path)
            state.tree.name(name, in: directory, nil)
            state.tree.flushAll()
        }
    }

    /// Moves what is at `path`, with everything in it, durably, as somebody who can write both directories would.
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

    /// Creates a symbolic link.
    public func putLink(_ path: String, to target: String, owner: UInt32 = 1_000) throws {
        try state.withLock { state in
            let (directory, name) = try state.tree.place(path)
            _ = state.tree.add(
                .init(kind: .link, mode: 0o777, owner: owner, target: target), named: name, in: directory)
            state.tree.flushAll()
        }
    }

    /// Creates a directory.
    public func putDirectory(_ path: String, mode: UInt32 = 0o700, owner: UInt32 = 1_000) throws {
        try state.withLock { state in
            let (directory, name) = try state.tree.place(path)
            _ = state.tree.add(.init(kind: .directory, mode: mode, owner: owner), named: name, in: directory)
            state.tree.flushAll()
        }
    }

    /// Changes the properties of what is at `path`; `nil` leaves one unchanged.
    public func change(_ path: String, mode: UInt32? = nil, owner: UInt32? = nil, links: Int? = nil) throws {
        try state.withLock { state in
            guard let node = try state.tree.find(path) else { throw FileError.missing }
            if let mode { state.tree.nodes[node]?.mode = mode }
            if let owner { state.tree.nodes[node]?.owner = owner }
            if let links { state.tree.nodes[node]?.links = links }
        }
    }

    /// Calls `tell` after a program has added or removed a name, and after a directory was flushed.
    /// `tell` may use the disk. Pass the returned number to ``unobserve(_:)`` to stop.
    public func observe(_ tell: @escaping @Sendable (Operation, String) -> Void) -> Int {
        state.withLock { state in
            defer { state.nextToken += 1 }
            state.observers[state.nextToken] = tell
            return state.nextToken
        }
    }

    /// Stops the observation with this number.
    public func unobserve(_ number: Int) { goes(state.withLock { $0.observers.removeValue(forKey: number) }) }

    /// Keeps the former value alive until the lock is free, even if the optimizer would not: its
    /// `deinit` may use the disk.
    private func goes(_ former: Any?) { withExtendedLifetime(former) {} }

    /// Returns what the worst power loss would leave at `path`; `nil` for nothing.
    public func durable(_ path: String) throws -> [UInt8]? {
        try state.withLock { state in
            let (directory, name) = try state.tree.place(path)
            return state.tree.nodes[directory]?.flushedEntries[name].flatMap { state.tree.nodes[$0]?.flushed }
        }
    }

    /// Returns the content at `path`, ignoring all faults.
    public func content(_ path: String) throws -> [UInt8]? {
        try state.withLock { state in try state.tree.find(path).flatMap { state.tree.nodes[$0]?.bytes } }
    }

    /// Returns the names in a directory, sorted, ignoring all faults.
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
