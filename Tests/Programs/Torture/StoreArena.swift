import Latchkey

/// One directory, and what its writers have said about it.
struct StoreArena {
    /// What a look at the store found.
    struct Findings {
        /// Records that are not whole, or that nobody wrote.
        var torn = 0
        /// Acknowledged writings that are gone, where something else is.
        var lost = 0
        /// Acknowledged writings that are gone, where nothing is.
        var gone = 0
        /// Writings that were never acknowledged, and are there.
        var kept = 0
        /// What to tell a person.
        var words: [String] = []
    }

    let directory: String
    let kind: StoreKind
    /// Who writes, by place.
    var writers: [Int?]
    private var shared: [SharedRecord]
    private var own: [OwnRecord]
    /// The writing that each writer is at.
    private var open: [Int: (key: Int, identity: Identity, isDeletion: Bool)] = [:]

    init(directory: String, kind: StoreKind, places: Int) {
        self.directory = directory
        self.kind = kind
        writers = Array(repeating: nil, count: places)
        shared = Array(repeating: SharedRecord(), count: Writer.sharedKeys)
        own = Array(repeating: OwnRecord(), count: places)
    }

    /// Whether the writer said that it is about to write, and not yet what came of it.
    func isMidway(_ writer: Int) -> Bool { open[writer] != nil }

    mutating func forget(_ writer: Int) {
        open[writer] = nil
        for place in writers.indices where writers[place] == writer { writers[place] = nil }
    }

    /// Takes a line of a writer.
    mutating func hear(_ words: [Substring]) {
        let numbers = words.dropFirst().prefix(5).map { Int($0) ?? 0 }
        guard let word = words.first, numbers.count >= 2 else { return }
        let identity = Identity(writer: numbers[0], count: numbers[1])
        if word == "i" || word == "d" {
            guard numbers.count == 5 else { return }
            let previous = numbers[3] == 0 ? nil : Identity(writer: numbers[3], count: numbers[4])
            open[numbers[0]] = (numbers[2], identity, word == "d")
            if numbers[2] < Writer.ownKeys {
                shared[numbers[2]].begin(identity, over: previous)
            } else {
                own[numbers[2] - Writer.ownKeys].begin(word == "d" ? nil : identity)
            }
            return
        }
        guard let (key, _, isDeletion) = open.removeValue(forKey: numbers[0]) else { return }
        if key < Writer.ownKeys {
            if word == "a" { shared[key].acknowledge(identity) }
            if word == "c" { shared[key].refuse(identity) }
        } else if word == "a" {
            own[key - Writer.ownKeys].acknowledge(isDeletion ? nil : identity)
        }
    }

    /// Opens the store anew and looks at every record. `hear` makes the arena hear what was said meanwhile.
    mutating func look(hear: (inout StoreArena) -> Void) async -> Findings {
        let store = kind.store(in: directory)
        let due = shared.map(\.acknowledged)
        for place in own.indices { own[place].expect() }
        var found: [Int: Result<Identity?, any Error>] = [:]
        for key in keys {
            do { found[key] = .success(try await Self.read(key, of: store)) } catch { found[key] = .failure(error) }
        }
        hear(&self)
        var findings = Findings()
        for key in keys {
            do {
                guard let result = found[key] else { continue }
                let name = "\(directory), key \(key)"
                if key < Writer.ownKeys {
                    shared[key].check(try result.get(), due: due[key], &findings, name)
                } else {
                    own[key - Writer.ownKeys].check(try result.get(), &findings, name)
                }
            } catch {
                findings.torn += 1
                findings.words.append("\(directory) \(key): \(error)")
            }
        }
        return findings
    }

    private var keys: [Int] { Array(0..<Writer.sharedKeys) + own.indices.map { Writer.ownKeys + $0 } }

    private struct Torn: Error {}

    private static func read(_ key: Int, of store: any CrossProcessStore) async throws -> Identity? {
        guard let record = try await store.read(Writer.storeKey(key)) else { return nil }
        guard let value = Value(record.bytes), value.key == key else { throw Torn() }
        return value.identity
    }
}
