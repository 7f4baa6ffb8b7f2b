public import Latchkey
import LatchkeySystem

extension SimulatedFiles: AppendingFiles {
    /// Cuts, writes in two halves and flushes: three steps. A crash that loses only some keeps what was flushed
    /// before, or all that was written.
    public func append(
        _ path: String, at offset: Int, _ bytes: [UInt8], if judge: (FileStatus) throws -> Void
    ) throws {
        guard let found = try status(path) else { throw FileError.missing }
        guard found.kind == .file else { throw FileError.unexpectedKind }
        try judge(found)
        let node = try step(.write, path) { state in
            guard let node = try find(path, &state.tree), let size = state.tree.nodes[node]?.bytes.count else {
                throw FileError.missing
            }
            guard offset >= 0, offset <= size else { throw FileError.failed(22) }
            try put(bytes.prefix(bytes.count / 2), at: offset, of: node, &state)
            return node
        }
        do {
            try step(.write, path) { try put(bytes[...], at: offset, of: node, &$0) }
            try step(.flush, path) { state in
                let written = state.tree.nodes[node]?.bytes
                state.tree.nodes[node]?.flushed = written
            }
        } catch {
            cut(node, at: offset)
            throw error
        }
    }

    private func put(
        _ bytes: ArraySlice<UInt8>, at offset: Int, of node: Int, _ state: inout SimulatedDisk.State
    ) throws {
        let before = state.tree.nodes[node]?.bytes ?? []
        if state.capacity != .max, state.tree.used - before.count + offset + bytes.count > state.capacity {
            throw FileError.full
        }
        state.tree.nodes[node]?.bytes = Array(before.prefix(offset) + bytes)
    }

    /// A failed call leaves nothing of its bytes; a dead process can do nothing about them any more.
    private func cut(_ node: Int, at offset: Int) {
        guard isAlive else { return }
        disk.state.withLock { state in
            guard let bytes = state.tree.nodes[node]?.bytes else { return }
            state.tree.nodes[node]?.bytes = Array(bytes.prefix(offset))
        }
    }
}
