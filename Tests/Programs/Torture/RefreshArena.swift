import Latchkey
import LatchkeyDevServer
import LatchkeyFileStore

/// One login, those who share it, and what they have said in this round.
struct RefreshArena {
    let directory: String
    /// Which service it is at.
    let service: Int
    /// Who shares it now.
    var members: Set<Int> = []
    /// What the processes were told of its end: how often, by code.
    var claims: [String: Int] = [:]
    /// Who began to sign in, and who came to the end of it.
    var began: Set<Int> = []
    var signedIn: Set<Int> = []
    /// Every login that there was, by the service's number.
    var families: Set<Int> = []
    /// The login that was found last.
    var found: Int?
    /// Whether the last look found that the login was over.
    var wasOver = false
    var everSignedIn = false

    init(directory: String, service: Int) { (self.directory, self.service) = (directory, service) }

    /// What lies in the store.
    enum Content {
        case nothing
        case over
        case token(String)
        case torn(String)
    }

    func content() -> Content {
        let store = FileStore(unencryptedAt: directory)
        do {
            guard let key = try store.keys(.credential).first, let record = try store.read(key) else { return .nothing }
            let decoded = try CredentialRecord(record.bytes)
            guard let credential = decoded.credential else { return .over }
            return .token(credential.refreshToken?.revealText() ?? "")
        } catch {
            return .torn("\(error)")
        }
    }

    /// Holds what is stored, and what the processes were told, against what the service knows: the standing of the
    /// token, and in `judge` at least everything that led to it.
    mutating func look(
        _ content: Content, _ standing: Judge.Standing?, _ judge: inout Judge, _ wasKilled: (Int) -> Bool
    ) -> Bool {
        let excused = families.filter { judge.excused.contains($0) && $0 >= found ?? 0 }
        for (code, count) in claims.sorted(by: { $0.key < $1.key }) {
            let isTrue =
                switch code {
                // Somebody signed in over the login meanwhile, or nobody ever did.
                case "signInRequired.signedOut": began.count > 1 || wasOver || !excused.isEmpty || !everSignedIn
                default: !excused.isEmpty || wasOver
                }
            if !isTrue { judge.lose("\(directory): \(count) processes were told \(code), and the service never was") }
        }
        everSignedIn = everSignedIn || !signedIn.isEmpty
        wasOver = false
        var isWhole = true
        switch content {
        case .nothing:
            if everSignedIn { judge.lose("\(directory): the record is gone") }
        case .torn(let words):
            isWhole = false
            judge.lose("\(directory): \(words)")
        case .over:
            wasOver = true
            if excused.isEmpty { judge.lose("\(directory): ended, and the service never said so") }
        case .token:
            everSignedIn = true
            guard let standing else {
                judge.lose("\(directory): the service does not know the token")
                break
            }
            check(standing, &judge, wasKilled)
            found = standing.family
        }
        (claims, began, signedIn) = ([:], [], [])
        return isWhole
    }

    private func check(_ standing: Judge.Standing, _ judge: inout Judge, _ wasKilled: (Int) -> Bool) {
        judge.find(standing)
        if began.count == 1, let number = signedIn.first,
            let newest = judge.families.filter({ $0.value == number }).keys.max(), standing.family < newest
        {
            judge.rollBack(
                "\(directory): login \(newest) was acknowledged, and \(standing.family) is there", login: newest)
        }
        guard !standing.isAccepted, !judge.excused.contains(standing.family) else { return }
        let place = Judge.Place(family: standing.family, generation: standing.generation)
        if let reason = judge.blame(place, wasKilled) {
            judge.lose(
                "\(directory): login \(standing.family) holds a token that is over: \(reason)", login: standing.family)
            judge.bury(standing.family)
        }
    }
}
