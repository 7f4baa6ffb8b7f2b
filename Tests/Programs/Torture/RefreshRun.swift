import LatchkeyDevServer
import LatchkeyTesting

/// Processes that share logins at services of each kind, killed until enough are dead.
final class RefreshRun {
    /// How many logins a service of each kind has. A strict one makes the next process wait, so it gets more of them.
    private static let logins: [(ServiceKind, Int)] = [(.strict, 28), (.same, 4), (.new, 10)]
    /// How many processes share a login.
    private static let members = 3
    /// How many start at once: the service must not starve.
    private static let starting = 6

    private let options: Options
    private let processes = Processes()
    private let services: [(server: DevServer, ledger: Ledger)]
    private var judges: [Judge]
    private var random: SplitMix
    private var arenas: [RefreshArena] = []
    private var places: [Int: Int] = [:]
    private var notReady: Set<Int> = []
    private var deaths = Deaths()
    private var spans = (start: 40 * System.millisecond, send: 5 * System.millisecond)
    private var isMeasuring = true
    private var began: [Int: (start: Int64, send: Int64, acknowledged: Int)] = [:]
    private var durations: (start: [Int64], send: [Int64]) = ([], [])
    private var killed: [Int]
    private var lastPlace = 0
    private var (torn, midway, acknowledged, signIns, troubles, looks, mostFiles) = (0, 0, 0, 0, 0, 0, 0)
    private var sending: Set<Int> = []

    init(_ options: Options) {
        self.options = options
        random = SplitMix(seed: options.seed)
        services = Self.logins.map { $0.0.start() }
        judges = Self.logins.map { Judge($0.0) }
        killed = Self.logins.map { _ in 0 }
        for (service, (kind, count)) in Self.logins.enumerated() {
            arenas += (0..<count).map {
                RefreshArena(directory: "\(options.directory)/\(kind)-\($0)", service: service)
            }
        }
    }

    /// Whether nothing was lost.
    func run() async -> Bool {
        let start = System.now()
        measure()
        while processes.kills < options.kills, judges.allSatisfy({ $0.findings.words.count < 20 }) {
            fill()
            processes.reports.wait(until: deaths.next)
            hear()
            let due = deaths.due(at: System.now()).filter { processes.isAlive($0) }
            if !due.isEmpty { strike(due) }
        }
        rest()
        await outlive()
        for service in services { service.server.stop() }
        return report(after: System.now() - start)
    }

    private func measure() {
        let end = System.now() + 1_000 * System.millisecond
        while System.now() < end {
            // One at each service, which begins anew now and then.
            for service in judges.indices {
                let place = arenas.firstIndex { $0.service == service } ?? 0
                if arenas[place].members.isEmpty { start(place, signsIn: false) }
            }
            processes.reports.wait(until: end)
            hear()
            let done = began.filter { $0.value.acknowledged >= 5 }.map(\.key)
            processes.end(done)
            for number in done { bury(number) }
        }
        rest()
        for list in [\(start: [Int64], send: [Int64]).start, \.send] { durations[keyPath: list].sort() }
        func span(_ list: [Int64], least: Int64) -> Int64 {
            list.isEmpty ? least : max(least, 2 * list[list.count / 2])
        }
        spans = (
            span(durations.start, least: 10 * System.millisecond), span(durations.send, least: 2 * System.millisecond)
        )
        isMeasuring = false
    }

    /// Ends all that live, without counting them.
    private func rest() {
        let left = Array(places.keys)
        processes.end(left)
        deaths.forget(left)
        settle()
        for number in left { bury(number) }
    }

    /// Starts a round wherever all are dead.
    private func fill() {
        for _ in arenas.indices where notReady.count < Self.starting {
            lastPlace = (lastPlace + 1) % arenas.count
            if arenas[lastPlace].members.isEmpty {
                for _ in 0..<Self.members { start(lastPlace, signsIn: random.happens(60)) }
            }
        }
    }

    private func start(_ place: Int, signsIn: Bool) {
        let arena = arenas[place]
        let kind = judges[arena.service].kind
        let number = processes.start(
            "refresher",
            [arena.directory, services[arena.service].server.issuer, kind.rawValue, signsIn ? "sign-in" : "refresh"])
        arenas[place].members.insert(number)
        places[number] = place
        notReady.insert(number)
        // Nobody lives for ever.
        if !isMeasuring { deaths.plan(number, at: System.now() + 8_000 * System.millisecond) }
    }

    private func hear() {
        take()
        for judge in judges.indices { judges[judge].close() }
        let lines = processes.reports.lines()
        take()
        for words in lines {
            guard words.count >= 2, let number = Int(words[1]), let place = places[number] else { continue }
            hear(String(words[0]), number, place, code: words.count > 2 ? String(words[2]) : "")
        }
        for judge in judges.indices { judges[judge].judge { !self.processes.isAlive($0) } }
    }

    private func take() { for service in services.indices { take(service) } }

    private func take(_ service: Int, through sequence: Int = 0) {
        for entry in services[service].ledger.take(through: sequence) {
            judges[service].take(entry)
            if let place = entry.sender.flatMap({ places[$0.process] }), let family = entry.family {
                arenas[place].families.insert(family)
            }
        }
    }

    private func hear(_ word: String, _ number: Int, _ place: Int, code: String) {
        let now = System.now()
        let service = arenas[place].service
        switch word {
        case "r":
            notReady.remove(number)
            began[number] = (now, 0, 0)
            if random.happens(350) { plan(number, within: spans.start) }
        case "s":
            sending.insert(number)
            judges[service].send(Sender(process: number, request: Int(code) ?? 0))
            began[number]?.send = now
            plan(number, within: spans.send)
        case "a":
            acknowledged += 1
            sending.remove(number)
            judges[service].acknowledge(number)
            guard isMeasuring, let times = began[number] else { return }
            if times.start > 0 { durations.start.append(now - times.start) }
            if times.send > 0 { durations.send.append(now - times.send) }
            began[number] = (0, 0, times.acknowledged + 1)
        case "b", "e":
            arenas[place].began.insert(number)
            if word == "e" { arenas[place].claims[code, default: 0] += 1 }
            began[number]?.start = 0
            fallthrough
        case "f":
            troubles += word == "f" ? 1 : 0
            sending.remove(number)
            judges[service].fail(number)
        case "n":
            signIns += 1
            sending.remove(number)
            judges[service].fail(number)
            arenas[place].signedIn.insert(number)
        default: break
        }
    }

    private func plan(_ number: Int, within span: Int64) {
        if !isMeasuring { deaths.plan(number, at: System.now() + Int64(random.below(Int(span)))) }
    }

    private func strike(_ due: [Int]) {
        var doomed = Set(due)
        if random.happens(100), let place = places[due[0]] { doomed.formUnion(arenas[place].members) }
        let victims = doomed.sorted()
        processes.strike(victims)
        deaths.forget(victims)
        hear()
        for number in victims {
            midway += sending.contains(number) ? 1 : 0
            guard let place = places[number] else { continue }
            killed[arenas[place].service] += 1
            for survivor in arenas[place].members.subtracting(victims).sorted() where random.happens(400) {
                plan(survivor, within: 30 * System.millisecond)
            }
        }
        let quiet = Set(victims.compactMap { places[$0] }).filter { arenas[$0].members.isSubset(of: victims) }
        if !quiet.isEmpty { settle() }
        for number in victims { bury(number) }
    }

    private func bury(_ number: Int) {
        sending.remove(number)
        notReady.remove(number)
        began[number] = nil
        guard let place = places[number] else { return }
        arenas[place].members.remove(number)
        if arenas[place].members.isEmpty { look(place) }
        places[number] = nil
    }

    /// Hears all that there is to hear of the dead.
    private func settle() {
        hear()
        hear()
    }

    private func look(_ place: Int) {
        let service = arenas[place].service
        looks += 1
        let content = arenas[place].content()
        var standing: Judge.Standing?
        if case .token(let token) = content { standing = services[service].server.standing(ofRefreshToken: token) }
        // The last request of a dead process may come to the service only now.
        if let standing { take(service, through: standing.sequence) }
        let isWhole = arenas[place].look(content, standing, &judges[service]) { !self.processes.isAlive($0) }
        torn += isWhole ? 0 : 1
        mostFiles = max(mostFiles, System.names(in: arenas[place].directory).count)
    }

    /// Lets one process more come to each login, and expects it to get a token, or a reason that the service knows.
    private func outlive() async {
        isMeasuring = true
        var waiting = Set(arenas.indices)
        let end = System.now() + 60_000 * System.millisecond
        while !waiting.isEmpty, System.now() < end {
            for place in waiting.sorted() where arenas[place].members.isEmpty && notReady.count < Self.starting {
                start(place, signsIn: false)
            }
            processes.reports.wait(until: System.now() + 20 * System.millisecond)
            hear()
            for place in waiting where arenas[place].members.contains(where: { began[$0]?.acknowledged ?? 0 > 0 }) {
                waiting.remove(place)
                let members = Array(arenas[place].members)
                processes.end(members)
                settle()
                for number in members { bury(number) }
            }
        }
        for place in waiting.sorted() {
            judges[arenas[place].service].lose("\(arenas[place].directory) is of no use any more")
        }
        rest()
    }

    private func report(after nanoseconds: Int64) -> Bool {
        let findings = judges.map(\.findings)
        for words in findings.flatMap(\.words) { print("  \(words)") }
        for (judge, service) in zip(judges, services) {
            for entry in service.server.log() where entry.family.map(judge.findings.logins.contains) == true {
                print("  \(judge.kind): \(entry), of \(entry.agent ?? "nobody")")
            }
        }
        func sum(_ member: (Judge.Findings) -> Int) -> Int { findings.reduce(0) { $0 + member($1) } }
        let (lost, rolledBack) = (sum(\.lost), sum(\.rolledBack))
        print(
            "refresh: kills=\(processes.kills) torn=\(torn) acknowledged_lost=\(rolledBack) logins_lost=\(lost)"
                + " unavoidable=\(sum(\.unavoidable))")
        let kinds = judges.indices.map { "\(judges[$0].kind)=\(killed[$0])" }.joined(separator: " ")
        print(
            "  seconds=\(nanoseconds / 1_000_000_000) logins=\(arenas.count) processes=\(Self.members) kills: \(kinds);"
                + " killed_within_ms: start=\(spans.start / System.millisecond) send=\(spans.send / System.millisecond);"
                + " midway=\(midway) acted=\(judges.reduce(0) { $0 + $1.acted })"
                + " refused=\(judges.reduce(0) { $0 + $1.refused }) acknowledged=\(acknowledged) sign-ins=\(signIns)"
                + " troubles=\(troubles) looks=\(looks) most_files=\(mostFiles)")
        return lost == 0 && rolledBack == 0 && torn == 0
    }
}
