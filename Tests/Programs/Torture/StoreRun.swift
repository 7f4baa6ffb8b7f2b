import Latchkey
import LatchkeyTesting

/// Writers over some directories, killed until enough are dead.
final class StoreRun {
    private static let arenas = 3
    private static let places = 4

    private let options: Options
    private let counter: FaultCounter?
    private let processes = Processes()
    private var random: SplitMix
    private var arenas: [StoreArena]
    private var places: [Int: (arena: Int, place: Int)] = [:]
    private var deaths = Deaths()
    /// While it is measured how long a writing takes, nobody dies.
    private var isMeasuring = true
    private var begun: [Int: Int64] = [:]
    private var durations: [Int64] = []
    private var span: Int64 = 0
    private var sum = StoreArena.Findings()
    private var (midway, acknowledged, refused, failed, mostFiles, leftovers) = (0, 0, 0, 0, 0, 0)
    private var strikes = 0

    init(_ options: Options, hasFaults: Bool) {
        self.options = options
        random = SplitMix(seed: options.seed)
        let name = hasFaults ? "faults" : "store"
        arenas = (0..<Self.arenas).map {
            StoreArena(directory: "\(options.directory)/\(name)-\($0)", kind: options.store, places: Self.places)
        }
        counter = hasFaults ? FaultCounter(options) : nil
    }

    /// Whether nothing was lost.
    func run() async -> Bool {
        let start = System.now()
        do {
            for arena in arenas { try await options.store.prepare(arena.directory) }
        } catch {
            print("  the store cannot be made: \(error)")
            return false
        }
        measure()
        while !isDone, sum.words.count < 20 {
            fill()
            processes.reports.wait(until: deaths.next)
            hear()
            let due = deaths.due(at: System.now()).filter { processes.isAlive($0) }
            if !due.isEmpty { await strike(due) }
        }
        let left = Array(places.keys)
        processes.end(left)
        hear()
        for number in left { bury(number) }
        for arena in arenas.indices { await look(arena) }
        let isClean = await isClean()
        return report(after: System.now() - start) && isClean
    }

    private var isDone: Bool { counter.map { $0.count >= options.kills } ?? (processes.kills >= options.kills) }

    private func measure() {
        let end = System.now() + 500 * System.millisecond
        while System.now() < end {
            fill()
            processes.reports.wait(until: end)
            hear()
        }
        isMeasuring = false
        durations.sort()
        // Of those that had to wait for others, too.
        span = max(2 * System.millisecond, 2 * (durations.isEmpty ? 0 : durations[durations.count * 9 / 10]))
        for number in places.keys.sorted() { plan(number) }
    }

    private func plan(_ number: Int) {
        // Where calls fail, most of them are to fail to somebody who can tell.
        let reach = counter == nil ? span : 50 * span
        deaths.plan(number, at: System.now() + Int64(random.below(Int(reach))))
    }

    private func fill() {
        for arena in arenas.indices {
            for place in 0..<Self.places where arenas[arena].writers[place] == nil {
                let number = processes.start(
                    "writer", [arenas[arena].directory, "\(place)", "\(random.next())", options.store.rawValue],
                    variables: counter?.variables(under: arenas[arena].directory, seed: random.next()) ?? [])
                arenas[arena].writers[place] = number
                places[number] = (arena, place)
            }
        }
    }

    private func hear() {
        for words in processes.reports.lines() {
            guard let number = words.dropFirst().first.flatMap({ Int($0) }), let (arena, _) = places[number] else {
                continue
            }
            switch words[0] {
            case "r":
                if !isMeasuring { plan(number) }
                continue
            case "t":
                sum.torn += 1
                sum.words.append("writer \(number) read what nobody wrote")
            case "i", "d": if isMeasuring { begun[number] = System.now() }
            case "a":
                acknowledged += 1
                if isMeasuring, let begun = begun[number] { durations.append(System.now() - begun) }
            case "c": refused += 1
            default:
                failed += 1
                if words.last == "store.damaged" {
                    sum.torn += 1
                    sum.words.append("writer \(number) was told that a record is damaged, and none was")
                }
            }
            arenas[arena].hear(words)
        }
    }

    private func strike(_ due: [Int]) async {
        var doomed = Set(due)
        // A machine takes all its processes along.
        if random.happens(150), let arena = places[due[0]]?.arena {
            doomed.formUnion(arenas[arena].writers.compactMap { $0 })
        }
        let victims = doomed.sorted()
        processes.strike(victims)
        deaths.forget(victims)
        hear()
        for number in victims {
            if let arena = places[number]?.arena, arenas[arena].isMidway(number) { midway += 1 }
        }
        for arena in Set(victims.compactMap { places[$0]?.arena }).sorted() { await look(arena) }
        for number in victims { bury(number) }
    }

    private func bury(_ number: Int) {
        if let arena = places.removeValue(forKey: number)?.arena { arenas[arena].forget(number) }
    }

    private func look(_ number: Int) async {
        var arena = arenas[number]
        let findings = await arena.look { arena in
            arenas[number] = arena
            hear()
            arena = arenas[number]
        }
        arenas[number] = arena
        sum.torn += findings.torn
        sum.lost += findings.lost
        sum.gone += findings.gone
        sum.kept += findings.kept
        sum.words += findings.words
        strikes += 1
        let names = System.names(in: arena.directory)
        mostFiles = max(mostFiles, names.count)
        leftovers += names.contains { $0.hasSuffix(".tmp") } ? 1 : 0
    }

    /// Whether the next writer sweeps what is left, and finds nothing locked.
    private func isClean() async -> Bool {
        for arena in arenas {
            let store = options.store.store(in: arena.directory)
            do {
                let key = StoreKey(.settings, "last")
                try await store.replace(key, at: try await store.read(key)?.version, with: [0])
                for key in 0..<Writer.sharedKeys where key % 2 == 0 {
                    let lane = try await store.lock(Writer.storeKey(key), deadline: .seconds(1))
                    await lane.release()
                }
            } catch {
                sum.words.append("\(arena.directory) cannot be written any more: \(error)")
                return false
            }
            let left = System.names(in: arena.directory).filter { $0.hasSuffix(".tmp") }
            if !left.isEmpty { sum.words.append("\(arena.directory) keeps \(left.count) half-written files") }
        }
        return true
    }

    /// The most files that a directory may have: records, lanes, the lock, and what the dead left since the last sweep.
    private var limit: Int { Writer.sharedKeys * 2 + 1 + Self.places + (counter == nil ? 2 * Self.places : 1_000) }

    private func report(after nanoseconds: Int64) -> Bool {
        if mostFiles > limit { sum.words.append("a directory had \(mostFiles) files") }
        for line in sum.words { print("  \(line)") }
        let figures = "torn=\(sum.torn) acknowledged_lost=\(sum.lost)"
        if let counter {
            print("faults: faults=\(counter.count) \(figures)")
            print("  \(counter.kinds)")
        } else {
            print("store: kills=\(processes.kills) \(figures) logins_lost=\(sum.gone)")
        }
        print(
            "  seconds=\(nanoseconds / 1_000_000_000) directories=\(Self.arenas) writers=\(Self.places)"
                + " killed_within_ms=\(span / System.millisecond) kills=\(processes.kills) midway=\(midway)"
                + " acknowledged=\(acknowledged) refused=\(refused) failed=\(failed) kept_unacknowledged=\(sum.kept)"
                + " looks=\(strikes) looks_with_leftovers=\(leftovers) most_files=\(mostFiles)")
        return sum.torn == 0 && sum.lost == 0 && sum.gone == 0 && sum.words.isEmpty
    }
}
