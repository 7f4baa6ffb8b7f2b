import Latchkey
import LatchkeyTesting

/// A process that replaces records until it is killed, and tells of each before and after:
///
/// | Line | Meaning |
/// | --- | --- |
/// | `r W` | ready |
/// | `i W C K PW PC` | about to write value (W, C) over (PW, PC) under the key K; `d …` instead: to delete |
/// | `a W C` | acknowledged: `replace` returned |
/// | `c W C` | refused: somebody else was first |
/// | `f W C CODE` | failed |
/// | `t W K` | read something that nobody wrote |
///
/// Keys from 0 are shared by all; those from ``ownKeys`` belong to one place each, and come and go.
struct Writer {
    static let sharedKeys = 4
    static let ownKeys = 100

    private let number: Int
    private let place: Int
    private let store: any CrossProcessStore
    private var random: SplitMix

    init?(_ words: [String]) {
        guard words.count == 5, let number = Int(words[0]), let place = Int(words[2]), let seed = UInt64(words[3]),
            let kind = StoreKind(rawValue: words[4])
        else { return nil }
        (self.number, self.place) = (number, place)
        store = kind.store(in: words[1])
        random = SplitMix(seed: seed)
    }

    static func storeKey(_ key: Int) -> StoreKey {
        key < ownKeys
            ? StoreKey(key % 2 == 0 ? .credential : .settings, "shared-\(key)") : StoreKey(.settings, "own-\(key)")
    }

    func run() async {
        var writer = self
        System.say("r \(number)")
        for count in 1... { await writer.write(count) }
    }

    private mutating func write(_ count: Int) async {
        let isOwn = random.happens(250)
        let key = isOwn ? Self.ownKeys + place : random.below(Self.sharedKeys)
        let size = random.happens(60) ? random.below(200_000) : random.below(4_000)
        let isDeletion = isOwn && random.happens(400)
        let name = Self.storeKey(key)
        do {
            let found = try await store.read(name)
            let before = found.flatMap { Value($0.bytes) }
            if found != nil, before?.key != key { System.say("t \(number) \(key)") }
            let value = Value(
                key: key, identity: Identity(writer: number, count: count), previous: before?.identity, size: size)
            let numbers = "\(number) \(count) \(key) \(before?.identity.writer ?? 0) \(before?.identity.count ?? 0)"
            System.say("\(isDeletion ? "d" : "i") \(numbers)")
            try await store.replace(name, at: found?.version, with: isDeletion ? nil : value.bytes())
            System.say("a \(number) \(count)")
        } catch is StoreConflict {
            System.say("c \(number) \(count)")
        } catch {
            System.say("f \(number) \(count) \((error as? AuthError)?.code.name ?? "error")")
        }
    }
}
