public import Latchkey
import LatchkeySystem

/// One simulated process's view of a ``SimulatedDisk``.
///
/// After a crash of the disk, or ``kill()``, every call throws and has no effect. Permission bits
/// are reported but not enforced; to simulate that, inject ``/Latchkey/FileError/denied``.
public final class SimulatedFiles: FileAccess {
    let disk: SimulatedDisk
    let user: UInt32
    let process: Int
    private let born: Int
    /// The directory that names are looked up in, and its path; `nil` means that paths are absolute.
    private let directory: (node: Int, path: String)?

    /// Creates a process of `user` on `disk`.
    public init(on disk: SimulatedDisk = SimulatedDisk(), user: UInt32 = 1_000) {
        self.disk = disk
        self.user = user
        directory = nil
        (process, born) = disk.state.withLock { state in
            defer { state.nextProcess += 1 }
            return (state.nextProcess, state.crashes)
        }
    }

    /// Creates a view of the directory `node`, which `files` found at `path`.
    private init(_ files: SimulatedFiles, in node: Int, at path: String) {
        (disk, user, process, born) = (files.disk, files.user, files.process, files.born)
        directory = (node, path)
    }

    /// Ends the process. Its locks become free, and what it wrote stays.
    public func kill() {
        disk.state.withLock { state in
            state.killed.insert(process)
            for node in state.locks.keys { state.locks[node]?.removeAll { $0.process == process } }
        }
    }

    /// Returns what is at `path`, without following links.
    public func status(_ path: String) throws -> FileStatus? {
        try look(.status, path) { tree in try find(path, &tree).flatMap { tree.nodes[$0] }.map(status(of:)) }
    }

    /// Returns what is at `path`, with its files if it is a directory.
    public func entry(_ path: String) throws -> FileEntry? {
        try look(.status, path) { tree in
            guard let number = try find(path, &tree), let node = tree.nodes[number] else { return nil }
            switch node.kind {
            case .directory: return .directory(SimulatedFiles(self, in: number, at: absolute(path)), status(of: node))
            case .link: return .link(to: node.target, status(of: node))
            default: return .other(status(of: node))
            }
        }
    }

    /// Returns the whole content.
    public func read(_ path: String, limit: Int, if judge: (FileStatus) throws -> Void) throws -> [UInt8]? {
        try look(.read, path) { tree in
            guard let node = try find(path, &tree).flatMap({ tree.nodes[$0] }) else { return nil }
            guard node.kind == .file else { throw FileError.unexpectedKind }
            try judge(status(of: node))
            guard node.bytes.count <= limit else { throw FileError.tooLarge }
            return node.bytes
        }
    }

    private func status(of node: DiskTree.Node) -> FileStatus {
        FileStatus(kind: node.kind, mode: node.mode, owner: node.owner, isOwn: node.owner == user, links: node.links)
    }

    /// Returns the names, sorted.
    public func list(_ directory: String) throws -> [String] {
        try look(.list, directory) { tree in
            let node = self.directory == nil ? try tree.find(directory + "/.") : try find(directory, &tree)
            return node.flatMap { tree.nodes[$0]?.entries.keys.sorted() } ?? []
        }
    }

    /// Creates the directory and its missing parents, one step each.
    public func makeDirectory(_ path: String) throws {
        if let found = try status(path) {
            guard found.kind == .directory else { throw FileError.unexpectedKind }
            return
        }
        if directory == nil, let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            let parent = String(path[..<slash])
            if try status(parent + "/.") == nil { try makeDirectory(parent) }
        }
        try step(.makeDirectory, path) { state in
            let (directory, name) = try place(path, &state.tree)
            // Another process may have created it since, and put files in it.
            if let found = state.tree.nodes[directory]?.entries[name] {
                guard state.tree.nodes[found]?.kind == .directory else { throw FileError.unexpectedKind }
                return
            }
            _ = state.tree.add(.init(kind: .directory, mode: 0o700, owner: user), named: name, in: directory)
        }
    }

    /// Creates, writes in two halves and flushes: four steps.
    public func writeNew(_ path: String, _ bytes: [UInt8]) throws {
        let node = try step(.create, path) { state in
            let (directory, name) = try place(path, &state.tree)
            guard state.tree.nodes[directory]?.entries[name] == nil else { throw FileError.exists }
            return state.tree.add(.init(mode: 0o600, owner: user), named: name, in: directory)
        }
        do {
            for part in [bytes.prefix(bytes.count / 2), bytes[...]] {
                try step(.write, path) { state in
                    if state.capacity != .max {
                        let before = state.tree.nodes[node]?.bytes.count ?? 0
                        guard state.tree.used - before + part.count <= state.capacity else { throw FileError.full }
                    }
                    state.tree.nodes[node]?.bytes = Array(part)
                }
            }
            try step(.flush, path) { $0.tree.nodes[node]?.flushed = bytes }
        } catch {
            disk.state.withLock { state in
                guard isAlive(state), let (directory, name) = try? place(path, &state.tree) else { return }
                state.tree.name(name, in: directory, nil)
            }
            throw error
        }
    }

    /// Sets the bits, durably at once: the simulation does not separate them from what a power loss would leave.
    public func setMode(_ path: String, _ mode: UInt32) throws {
        try step(.setMode, path) { state in
            guard let node = try find(path, &state.tree), let kind = state.tree.nodes[node]?.kind,
                kind == .file || kind == .directory
            else { throw FileError.missing }
            state.tree.nodes[node]?.mode = mode
        }
    }

    /// Moves a name atomically.
    public func rename(_ source: String, to target: String) throws {
        try step(.rename, target) { state in
            let (from, to) = (try place(source, &state.tree), try place(target, &state.tree))
            guard let node = state.tree.nodes[from.directory]?.entries[from.name] else { throw FileError.missing }
            state.tree.name(from.name, in: from.directory, nil)
            state.tree.name(to.name, in: to.directory, node)
        }
        tell(.rename, target)
    }

    /// Makes the directory's names durable.
    public func syncDirectory(_ path: String) throws {
        try step(.syncDirectory, path) { state in
            let node = directory == nil ? try state.tree.find(path + "/.") : try find(path, &state.tree)
            guard let node, let found = state.tree.nodes[node] else {
                throw FileError.missing
            }
            state.tree.nodes[node]?.flushedEntries = found.entries
        }
        tell(.syncDirectory, path)
    }

    /// Removes the name.
    public func remove(_ path: String) throws {
        try step(.remove, path) { state in
            guard let (directory, name) = try? place(path, &state.tree) else { return }
            state.tree.name(name, in: directory, nil)
        }
        tell(.remove, path)
    }

    /// Removes the name of an empty directory.
    public func removeDirectory(_ path: String) throws {
        try step(.remove, path) { state in
            guard let node = try find(path, &state.tree), let found = state.tree.nodes[node] else { return }
            guard found.kind == .directory else { throw FileError.missing }
            guard found.entries.isEmpty else { throw FileError.exists }
            let (directory, name) = try place(path, &state.tree)
            state.tree.name(name, in: directory, nil)
        }
        tell(.remove, path)
    }

    /// Takes the lock if it is free.
    public func lock(_ path: String, sharing: Bool) throws -> (any FileLock)? {
        let (process, absolute) = (process, absolute(path))
        return try step(.lock, path) { state in
            let node = try lockable(path, &state.tree)
            guard try state.tree.find(absolute) == node else { throw FileError.missing }
            let kind = state.tree.nodes[node]?.kind
            guard kind == .file || kind == .directory else { throw FileError.unexpectedKind }
            let holders = state.locks[node] ?? []
            guard holders.isEmpty || (sharing && holders.allSatisfy(\.sharing)) else { return nil }
            let token = state.nextToken
            state.nextToken += 1
            state.locks[node] = holders + [(process, token, sharing)]
            return SimulatedLock(disk: disk, node: node, token: token, path: absolute)
        }
    }

    /// Returns what to lock, created if absent.
    private func lockable(_ path: String, _ tree: inout DiskTree) throws -> Int {
        if let found = try find(path, &tree) { return found }
        let (directory, name) = try place(path, &tree)
        return tree.add(.init(mode: 0o600, owner: user), named: name, in: directory)
    }
}

/// Looking up names.
extension SimulatedFiles {
    /// Returns `path` from the root.
    private func absolute(_ path: String) -> String {
        guard let directory else { return path }
        if path == "." { return directory.path }
        return directory.path == "/" ? "/\(path)" : "\(directory.path)/\(path)"
    }

    func find(_ path: String, _ tree: inout DiskTree) throws -> Int? {
        guard let directory else { return try tree.find(path) }
        try checkName(path)
        return tree.find(path, in: directory.node)
    }

    private func place(_ path: String, _ tree: inout DiskTree) throws -> (directory: Int, name: String) {
        guard let directory else { return try tree.place(path) }
        try checkName(path)
        return (directory.node, path)
    }

    private func checkName(_ name: String) throws {
        guard !name.isEmpty, name != "..", !name.utf8.contains(UInt8(ascii: "/")) else {
            throw FileError.unexpectedKind
        }
    }
}

extension SimulatedFiles {
    /// Whether the process is running.
    var isAlive: Bool { disk.state.withLock { isAlive($0) } }

    private func tell(_ operation: SimulatedDisk.Operation, _ path: String) {
        let observers = disk.state.withLock { state in
            state.observers.isEmpty ? [] : state.observers.sorted { $0.key < $1.key }.map(\.value)
        }
        if observers.isEmpty { return }
        let path = absolute(path)
        for observer in observers { observer(operation, path) }
    }

    /// Whether the process `number`, which began in this boot, is running.
    func runs(_ number: Int) -> Bool { disk.state.withLock { !$0.killed.contains(number) } }

    private func isAlive(_ state: SimulatedDisk.State) -> Bool {
        state.crashes == born && !state.killed.contains(process)
    }

    private func look<Value>(
        _ operation: SimulatedDisk.Operation, _ path: String, _ body: (inout DiskTree) throws -> Value
    ) throws -> Value {
        try disk.state.withLock { state in
            guard isAlive(state) else { throw SimulatedDisk.inputOutput }
            if let fault = state.fault, let error = fault(operation, absolute(path)) { throw error }
            return try body(&state.tree)
        }
    }

    /// Calls the strike that is set before this step, if there is one.
    private func meetStrike() {
        let strikes = disk.state.withLock { state -> (@Sendable () -> Void)? in
            guard let strike = state.strike, isAlive(state), strike.process ?? process == process else { return nil }
            state.strike = strike.left > 1 ? (strike.left - 1, strike.process, strike.strikes) : nil
            return strike.left > 1 ? nil : strike.strikes
        }
        strikes?()
    }

    @discardableResult
    func step<Value>(
        _ operation: SimulatedDisk.Operation, _ path: String, _ body: (inout SimulatedDisk.State) throws -> Value
    ) throws -> Value {
        meetStrike()
        return try disk.state.withLock { state in
            guard isAlive(state) else { throw SimulatedDisk.inputOutput }
            state.steps += 1
            if let crash = state.crash, crash.step == state.steps {
                state.crashNow(crash.loss)
                throw SimulatedDisk.inputOutput
            }
            if let fault = state.fault, let error = fault(operation, absolute(path)) { throw error }
            if let failure = state.failure, failure.step == state.steps {
                state.failure = nil
                throw failure.error
            }
            return try body(&state)
        }
    }
}

/// A lock of a simulated process.
private struct SimulatedLock: FileLock {
    let disk: SimulatedDisk
    let node: Int
    let token: Int
    let path: String

    var isInPlace: Bool { disk.state.withLock { state in (try? state.tree.find(path)) == node } }

    func release() {
        disk.state.withLock { $0.locks[node]?.removeAll { $0.token == token } }
    }

    func note(_ text: String) {
        disk.state.withLock { state in
            guard state.locks[node]?.contains(where: { $0.token == token }) == true,
                state.tree.nodes[node]?.kind == .file
            else { return }
            state.tree.nodes[node]?.bytes = Array(text.utf8)
        }
    }
}
