import LatchkeyDevServer

/// Decides from a service's own log which logins could not have been kept.
///
/// A strict service ends a login when a refresh token comes a second time. That cannot be helped when the one who sent
/// it first was killed before it had stored the answer: then nobody knows the successor. In any other case it is a
/// loss, and so is every end at a service that takes a token again.
struct Judge {
    typealias Standing = DevServer.Standing

    /// A refresh token, by its place.
    struct Place: Hashable {
        var family: Int
        var generation: Int
    }

    /// What was found.
    struct Findings {
        var lost = 0
        var unavoidable = 0
        var rolledBack = 0
        var words: [String] = []
        /// The logins that are spoken of, by the service's number.
        var logins: Set<Int> = []
    }

    let kind: ServiceKind
    private(set) var findings = Findings()
    /// Logins whose end could not be helped.
    private(set) var excused: Set<Int> = []
    /// Logins that a process signed in.
    private(set) var families: [Int: Int] = [:]
    private(set) var acted = 0
    private(set) var refused = 0
    /// Who got the token of each place first.
    private var receivers: [Place: Sender] = [:]
    /// What each request got, as long as the process did not say that its caller has it.
    private var unacknowledged: [Sender: Place] = [:]
    /// The newest token of a login that is known to have been stored.
    private var stored: [Int: Int] = [:]
    private var deaths: [(place: Place, by: Int)] = []
    /// How many of them may be judged: everything that was said before them has been heard.
    private var due = 0
    /// The request of each process of which it has not yet said what came of it.
    private var sent: [Int: Int] = [:]

    init(_ kind: ServiceKind) { self.kind = kind }

    /// The service has acted.
    mutating func take(_ entry: DevServer.Entry) {
        guard entry.endpoint == .token, let sender = entry.sender, let family = entry.family else { return }
        if entry.grant == "authorization_code" {
            if entry.outcome == "ok" { families[family] = sender.process }
            return
        }
        guard entry.grant == "refresh_token", let generation = entry.generation else { return }
        let place = Place(family: family, generation: generation)
        guard entry.outcome == "ok" else {
            refused += 1
            return deaths.append((place, sender.process))
        }
        acted += 1
        if receivers[place] == nil { receivers[place] = sender }
        unacknowledged[sender] = place
        // It was sent with the one before: whoever had stored a newer one has been set back.
        if let newest = stored[family], newest > generation - 1, kind == .strict {
            rollBack(family, from: newest, to: generation - 1)
        }
    }

    /// Until now the log was read before what the processes said meanwhile.
    mutating func close() { due = deaths.count }

    /// A request leaves the process.
    mutating func send(_ sender: Sender) { sent[sender.process] = sender.request }

    /// What was sent came to nothing, says the process.
    mutating func fail(_ process: Int) { sent[process] = nil }

    /// The caller of a process has what the process got for its last request.
    mutating func acknowledge(_ process: Int) {
        guard let request = sent.removeValue(forKey: process),
            let place = unacknowledged.removeValue(forKey: Sender(process: process, request: request))
        else { return }
        stored[place.family] = max(place.generation, stored[place.family] ?? 0)
    }

    /// A token that lies in a store, while no process is at work on it.
    mutating func find(_ standing: DevServer.Standing) {
        if let newest = stored[standing.family], newest > standing.generation {
            rollBack(standing.family, from: newest, to: standing.generation)
        }
        stored[standing.family] = max(standing.generation, stored[standing.family] ?? 0)
    }

    /// Judges the ends that the log tells of. `wasKilled` knows the dead.
    mutating func judge(wasKilled: (Int) -> Bool) {
        for (place, by) in deaths.prefix(due) where !excused.contains(place.family) {
            if let reason = blame(place, wasKilled) {
                lose("login \(place.family) ended by process \(by): \(reason)", login: place.family)
            } else {
                findings.unavoidable += 1
            }
            excused.insert(place.family)
        }
        deaths.removeFirst(due)
        due = 0
    }

    /// The login is spoken of no more.
    mutating func bury(_ family: Int) { excused.insert(family) }

    /// Why the end of a login whose token of this place was used again could have been helped; `nil`: it could not.
    func blame(_ place: Place, _ wasKilled: (Int) -> Bool) -> String? {
        let next = Place(family: place.family, generation: place.generation + 1)
        guard kind == .strict else { return "the service would have taken the token again" }
        guard let receiver = receivers[next] else { return "the service ended it without giving a successor" }
        guard wasKilled(receiver.process) else { return "process \(receiver.process) has the successor, and lives" }
        guard unacknowledged[receiver] == next else { return "process \(receiver.process) had stored the successor" }
        if let newest = stored[place.family], newest > place.generation { return "the successor was stored" }
        return nil
    }

    mutating func lose(_ words: String, login: Int? = nil) {
        findings.lost += 1
        tell(words, login)
    }

    mutating func rollBack(_ words: String, login: Int) {
        findings.rolledBack += 1
        tell(words, login)
    }

    private mutating func tell(_ words: String, _ login: Int?) {
        findings.words.append("\(kind): \(words)")
        if let login { findings.logins.insert(login) }
    }

    private mutating func rollBack(_ family: Int, from newest: Int, to generation: Int) {
        rollBack("login \(family) went back from token \(newest) to \(generation)", login: family)
    }
}
