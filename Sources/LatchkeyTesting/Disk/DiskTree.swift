import Latchkey

/// What the disk holds: as programs see it, and as a power loss would leave it.
struct DiskTree {
    struct Node {
        var kind = FileStatus.Kind.file
        var mode: UInt32 = 0o600
        var owner: UInt32 = 0
        var links = 1
        var bytes: [UInt8] = []
        /// The flushed content; `nil` if there is none yet.
        var flushed: [UInt8]?
        var entries: [String: Int] = [:]
        var flushedEntries: [String: Int] = [:]
        var target = ""
    }

    static let root = 0
    var nodes: [Int: Node] = [root: Node(kind: .directory, mode: 0o755)]
    private var nextNode = 1
    /// The directories found by path, until anything other than a file comes or goes, and how paths are split.
    private var known: [String: Int] = [:]
    private var parted: [String: (directory: String, name: String)] = [:]

    mutating func add(_ node: Node, named name: String, in directory: Int) -> Int {
        defer { nextNode += 1 }
        nodes[nextNode] = node
        self.name(name, in: directory, nextNode)
        return nextNode
    }

    /// Puts `node` under `name`; `nil` removes the name.
    mutating func name(_ name: String, in directory: Int, _ node: Int?) {
        let former = nodes[directory]?.entries[name]
        nodes[directory]?.entries[name] = node
        for changed in [former, node].compactMap(\.self) where nodes[changed]?.kind != .file { known = [:] }
    }

    /// Returns the node called `name` in an opened directory; `.` is the directory itself.
    func find(_ name: String, in directory: Int) -> Int? {
        name == "." ? directory : nodes[directory]?.entries[name]
    }

    /// Returns the node at `path`. Links are followed except in the last component; a final `.` follows them all.
    mutating func find(_ path: String) throws -> Int? {
        let (parent, name) = part(path)
        guard !parent.isEmpty else { return try walk(path) }
        guard let directory = try directory(parent) else { return nil }
        if name.isEmpty || name == "." { return directory }
        return nodes[directory]?.entries[name]
    }

    /// Splits a path at its last slash.
    private mutating func part(_ path: String) -> (directory: String, name: String) {
        if let known = parted[path] { return known }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", path) }
        let parts = (String(path[..<slash]), String(path[path.utf8.index(after: slash)...]))
        parted[path] = parts
        return parts
    }

    /// Returns the directory at `path`, following all links.
    private mutating func directory(_ path: String) throws -> Int? {
        if let node = known[path] { return node }
        guard let found = try walk(path + "/."), nodes[found]?.kind == .directory else { return nil }
        known[path] = found
        return found
    }

    private func walk(_ path: String, depth: Int = 0) throws -> Int? {
        guard depth < 16 else { throw FileError.unexpectedKind }
        var node = Self.root
        var parts = path.split(separator: "/")[...]
        while let part = parts.popFirst() {
            if part == "." { continue }
            guard nodes[node]?.kind == .directory else { return nil }
            guard let next = nodes[node]?.entries[String(part)] else { return nil }
            node = next
            if let link = nodes[node], link.kind == .link, !parts.isEmpty {
                guard let followed = try walk(link.target + "/.", depth: depth + 1) else { return nil }
                node = followed
            }
        }
        return node
    }

    /// Returns the directory that holds the last component of `path`, and that component.
    mutating func place(_ path: String) throws -> (directory: Int, name: String) {
        let (parent, name) = part(path)
        guard path.utf8.first == UInt8(ascii: "/"), let directory = try directory(parent), !name.isEmpty else {
            throw FileError.missing
        }
        return (directory, name)
    }

    /// The bytes of all files that have a name.
    var used: Int {
        let named = Set(nodes.values.flatMap(\.entries.values))
        return named.reduce(0) { $0 + (nodes[$1]?.bytes.count ?? 0) }
    }

    /// Makes everything durable as it is.
    mutating func flushAll() {
        for index in nodes.keys {
            guard var node = nodes[index] else { continue }
            node.flushed = node.bytes
            node.flushedEntries = node.entries
            nodes[index] = node
        }
    }

    /// Loses what was not flushed: everything, or what `random` picks, each file and name separately.
    mutating func losePower(_ random: SeededRandom?) {
        known = [:]
        for index in nodes.keys.sorted() {
            guard var node = nodes[index] else { continue }
            if node.kind == .file, node.flushed != node.bytes { node.bytes = Self.survivor(of: node, random) }
            for name in Set(node.entries.keys).union(node.flushedEntries.keys).sorted() {
                guard node.entries[name] != node.flushedEntries[name] else { continue }
                if random.map({ $0.next() % 2 == 0 }) ?? true { node.entries[name] = node.flushedEntries[name] }
            }
            nodes[index] = node
        }
        flushAll()
    }

    private static func survivor(of node: Node, _ random: SeededRandom?) -> [UInt8] {
        guard let random else { return node.flushed ?? [] }
        switch random.next() % 3 {
        case 0: return node.flushed ?? []
        case 1: return node.bytes
        default:
            // What was flushed and has not been written again since is safe: something was only added to it.
            let safe = zip(node.flushed ?? [], node.bytes).prefix { $0 == $1 }.count
            return Array(node.bytes.prefix(safe + Int(random.next() % UInt64(node.bytes.count - safe + 1))))
        }
    }
}
