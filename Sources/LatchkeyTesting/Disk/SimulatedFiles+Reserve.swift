public import Latchkey
import LatchkeySystem

extension SimulatedFiles: ReservingFiles {
    /// Writes zeros, as ``writeNew(_:_:)`` would.
    public func reserve(_ path: String, bytes: Int) throws {
        try writeNew(path, [UInt8](repeating: 0, count: bytes))
    }

    /// Writes over what is there in two halves and flushes: three steps, none of which is in want of space.
    public func fill(_ path: String, _ bytes: [UInt8]) throws {
        let node = try step(.fill, path) { state in
            guard let node = try find(path, &state.tree), state.tree.nodes[node]?.kind == .file else {
                throw FileError.missing
            }
            guard bytes.count <= state.tree.nodes[node]?.bytes.count ?? 0 else { throw FileError.full }
            let rest = state.tree.nodes[node]?.bytes.dropFirst(bytes.count / 2) ?? []
            state.tree.nodes[node]?.bytes = Array(bytes.prefix(bytes.count / 2) + rest)
            return node
        }
        try step(.fill, path) { $0.tree.nodes[node]?.bytes = bytes }
        try step(.flush, path) { $0.tree.nodes[node]?.flushed = bytes }
    }
}
