import FoundationEssentials
import Testing

/// Runs the fuzz targets without a fuzzer: see `Fuzz/README.md`.
@Suite("Hostile input")
struct CorpusTests {
    @Test("what once broke a law or may break one keeps every law", arguments: FuzzTarget.all.map(\.name))
    func corpus(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let files = try Corpus.files(of: name)
        // Without seeds, this would prove nothing about the target.
        #expect(files.count >= 5)
        for file in files {
            let bytes = try Corpus.bytes(file)
            #expect(throws: Never.self, "\(name)/\(file.lastPathComponent)") { try target.check(bytes) }
        }
    }

    @Test(
        "so does what lies near it: cut, doubled, spliced and changed by a seed", arguments: FuzzTarget.all.map(\.name))
    func neighbours(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let inputs = try Corpus.files(of: name).map(Corpus.bytes)
        var mutations = Mutations(seed: 20_261_121, inputs: inputs)
        for _ in 0..<500 {
            let bytes = mutations.next()
            #expect(throws: Never.self, "\(name): \(String(decoding: bytes, as: UTF8.self).debugDescription)") {
                try target.check(bytes)
            }
        }
    }

    @Test("every folder of inputs has its target, and all of them are small")
    func folders() throws {
        #expect(try Corpus.folders() == FuzzTarget.all.map(\.name).sorted())
        var size = 0
        for target in FuzzTarget.all {
            for file in try Corpus.files(of: target.name) { size += try Corpus.bytes(file).count }
        }
        #expect(size < 1_000_000)
    }
}

/// The files of inputs.
enum Corpus {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Corpus")

    static func folders() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.path).filter { !$0.hasPrefix(".") }.sorted()
    }

    static func files(of target: String) throws -> [URL] {
        let folder = root.appending(path: target)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            .map { folder.appending(path: $0) }
    }

    static func bytes(_ file: URL) throws -> [UInt8] { Array(try Data(contentsOf: file)) }
}

/// Variations of inputs, always the same for a seed.
struct Mutations {
    private var state: UInt64
    private let inputs: [[UInt8]]

    init(seed: UInt64, inputs: [[UInt8]]) {
        state = seed
        self.inputs = inputs
    }

    mutating func next() -> [UInt8] {
        var bytes = inputs[number(inputs.count)]
        for _ in 0...number(3) {
            let start = number(bytes.count + 1)
            let end = min(bytes.count, start + number(16))
            switch number(5) {
            case 0: bytes.removeSubrange(start..<end)
            case 1: bytes.insert(contentsOf: bytes[start..<end], at: number(bytes.count + 1))
            case 2 where start < bytes.count: bytes[start] ^= 1 << UInt8(number(8))
            case 3 where start < bytes.count: bytes[start] = UInt8(number(256))
            default:
                let other = inputs[number(inputs.count)]
                let from = number(other.count + 1)
                bytes.replaceSubrange(start..<end, with: other[from..<min(other.count, from + number(32))])
            }
        }
        return bytes
    }

    private mutating func number(_ bound: Int) -> Int {
        // SplitMix64.
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(max(bound, 1)))
    }
}
