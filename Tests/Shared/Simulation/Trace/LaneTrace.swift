import Latchkey

/// Says whether what was seen of a lane is something that its protocol allows.
///
/// It knows the rules of `Documentation/Internals/Lane.md` and nothing of the engine: what a process may do follows from what it
/// was seen to read, to store, to send and to hear. `Tests/Model` shows that each of these rules is needed.
struct LaneTrace {
    /// What a trace can break; in brackets the row of `Documentation/Internals/Lane.md`, section 7, that it is there for.
    enum Rule: String, CaseIterable, Sendable {
        /// Two living processes hold one lane.
        case exclusion
        /// A refresh, its mark, its answer or its refusal outside of the lane.
        case withoutLock
        /// A write over a version that the process has not seen (5, 7).
        case staleBase
        /// A record that nobody wrote, or one that was changed where no step changes it.
        case foreignRecord
        /// A request without a stored mark for the token it carries (14, 16).
        case unmarked
        /// A second request under one mark.
        case sentTwice
        /// A request, or its mark, before the earlier one can no longer arrive (1, 2, 19).
        case heldOff
        /// A token is sent while it is on its way already (1).
        case underWay
        /// B1: a successor that should rest.
        case rest
        /// A mark is taken out whose request left, or an earlier one with it (15).
        case cleared
        /// A credential is stored that no answer to the stored one brought (3, D5).
        case unheard
        /// A session is ended as refused, and nobody refused it, or for the wrong reason (13, D2).
        case unbelieved
        /// A credential goes, and its revocation is not noted in the same commit, or without its mark (8, 9, 10).
        case unowed
        /// A revocation that is owed is forgotten.
        case unpaid
        /// A login that ended is signed in again (7, 12).
        case comeback
        /// The end of a login is forgotten before its time (12).
        case forgotten
        /// A login is revoked that has not ended (3, 18).
        case revokedLive
        /// The lane is let go with an answer that is neither stored nor settled (17).
        case unstored
        /// A token is shown as durable that no stored record held.
        case early
        /// A token of a login is shown that the process knew to be over, or that came after its end (11, D1).
        case shownEnded
    }

    struct Violation: Hashable, Sendable, CustomStringConvertible {
        var rule: Rule
        var message: String

        var description: String { "\(rule.rawValue): \(message)" }
    }

    /// An answer that a process heard.
    struct Answer: Hashable {
        var sent: String
        var refresh: String
        var login: String
        var mark: String?
        var token: String
        var access: String
        /// Stored, or overtaken by another token of the same login.
        var isSettled = false
        /// The login is over: what came is owed, or told to the service.
        var mustRevoke = false
    }

    /// A mark that a process stored, or tried to.
    struct Own {
        var mark: LaneRecord.Mark
        /// What was open before it.
        var earlier: LaneRecord.Mark?
        /// Which write put it there.
        var write: String
        var sends = 0
    }

    /// What a process knows of a lane.
    struct View {
        var versions: Set<String> = []
        var own: [String: Own] = [:]
        /// Its last write, while the store has not said that it took it.
        var tried: String?
        /// The mark under which it may send, with the token it is for.
        var marked: (mark: String, token: String)?
        /// What it saw since it has the lane.
        var seen: [LaneRecord] = []
        var answers: [Answer] = []
        /// Refused tokens, and whether a mark had been open before.
        var refused: [String: Bool] = [:]
        var revoked: Set<String> = []
        var firstSeen: [LaneRecord.Mark: MonotonicInstant] = [:]
        /// Logins it knows to be over, and those of which it has known since before all was quiet.
        var over: Set<String> = []
        var acted: Set<String> = []

        /// All is quiet: what it knew by now it has acted on.
        mutating func act() { if acted.count != over.count || acted != over { acted = over } }
    }

    struct Process {
        var views: [String: View] = [:]
        var asked: [Int: Set<String>] = [:]
    }

    struct Shared {
        var holder: Int?
        var versions: [String: LaneRecord?] = [:]
        var writes: [String: (LaneRecord, by: Int)] = [:]
        /// Logins whose end somebody saw; and those whose end is stored for good.
        var seenOver: Set<String> = []
        var over: Set<String> = []
        /// When a revocation was first seen to be owed, in the time that has passed over all boots.
        var owed: [LaneRecord.Pending: LaneRecord.Instant] = [:]
    }

    struct Request {
        var process: Int
        var until: MonotonicInstant
        var isWorse = false
        /// Under which mark.
        var mark: String?
    }

    struct Issued {
        var lane: String
        var login: String
        /// A record that was stored or read has held it.
        var isStored = false
        /// It came after the end of its login was stored.
        var isLate = false
    }

    let replay: ProviderRules.RefreshRule
    /// For how long the service is known to answer a used token.
    let reuseInterval: Duration?
    var processes: [Int: Process] = [:]
    var lanes: [String: Shared] = [:]
    var tokens: [String: Issued] = [:]
    var access: [String: Issued] = [:]
    var requests: [String: [Request]] = [:]
    /// Since when the maker of a mark no longer waits for its answer, by the mark's id.
    var left: [String: MonotonicInstant] = [:]
    var boot = ""
    var now = MonotonicInstant(nanoseconds: 0)
    /// By how much the clocks of all boots have jumped.
    private var jumps = Duration.zero
    var isTurned = false
    /// Whether what somebody knows has changed since all was quiet.
    private var isEdited = false

    /// A trace that has not begun, of a service that does `replay` with a used token.
    init(_ replay: ProviderRules.RefreshRule, reuseInterval: Duration? = nil) {
        (self.replay, self.reuseInterval) = (replay, reuseInterval)
    }

    /// The first event that the protocol does not allow, by its place.
    static func firstViolation(
        in events: [LaneEvent], _ replay: ProviderRules.RefreshRule
    ) -> (index: Int, violation: Violation)? {
        var trace = LaneTrace(replay)
        for (index, event) in events.enumerated() {
            if let violation = trace.take(event) { return (index, violation) }
        }
        return nil
    }

    /// The next event. What it breaks, if anything.
    mutating func take(_ event: LaneEvent) -> Violation? {
        if case .boot(let name) = event.step { beginBoot(name, event.at) }
        now = event.at
        do throws(Violation) {
            if let process = event.process { try take(event.step, process) } else { takeForeign(event.step) }
            return nil
        } catch {
            return error
        }
    }

    private mutating func takeForeign(_ step: LaneEvent.Step) {
        switch step {
        case .over(let token, let sender): finish(token, of: sender)
        case .turned: isTurned = true
        case .quiet:
            // Taken more often than any other step, and most times nobody has learnt anything since the last.
            guard isEdited else { break }
            isEdited = false
            for process in processes.values.indices {
                for view in processes.values[process].views.values.indices {
                    processes.values[process].views.values[view].act()
                }
            }
        default: break
        }
    }

    private mutating func take(_ step: LaneEvent.Step, _ process: Int) throws(Violation) {
        switch step {
        case .start:
            processes[process] = Process()
            for (lane, shared) in lanes { edit(process, lane) { ($0.over, $0.acted) = (shared.over, shared.over) } }
        case .crash:
            for mark in processes[process]?.views.values.flatMap(\.own.keys) ?? [] { leave(mark) }
            processes[process] = nil
            for lane in lanes.keys where lanes[lane]?.holder == process { lanes[lane]?.holder = nil }
        case .acquire(let lane): try acquire(lane, process)
        case .release(let lane): try release(lane, process)
        case .read(let lane, let record, let version): try read(record, version, lane, process)
        case .write(let lane, let record, let version): try write(record, over: version, lane, process)
        case .stored(let lane, let write, let version): stored(write, version, lane, process)
        case .send(.refresh, let token): try sendRefresh(token, process)
        case .send(.verify, let token): try sendRefresh(token, process, isWorse: true)
        case .send(.revoke, let token): try sendRevocation(token, process)
        case .heard(.refresh, let token, let reply), .heard(.verify, let token, let reply):
            hear(reply, token, process)
        case .heard(.revoke, let token, let reply):
            guard reply == .done, let lane = tokens[token]?.lane else { break }
            edit(process, lane) { $0.revoked.insert(token) }
        case .ask(let call):
            let over = processes[process]?.views.values.reduce(into: Set<String>()) { $0.formUnion($1.acted) }
            processes[process, default: Process()].asked[call] = over ?? []
        case .show(let call, let access, let isDurable): try show(access, call, isDurable, process)
        case .over, .turned, .quiet, .boot: takeForeign(step)
        }
    }

    /// What was on its way is as far from its end as it was.
    private mutating func beginBoot(_ name: String, _ at: MonotonicInstant) {
        boot = name
        // Nobody can tell in this boot who ended in the last.
        left = [:]
        let shift = at - now
        jumps += shift
        requests = requests.mapValues {
            $0.map { Request(process: $0.process, until: $0.until + shift, isWorse: $0.isWorse, mark: $0.mark) }
        }
    }

    /// The time by a clock that goes on from boot to boot.
    var elapsed: MonotonicInstant { now - jumps }

    func view(_ process: Int, _ lane: String) -> View { processes[process]?.views[lane] ?? View() }

    mutating func edit(_ process: Int, _ lane: String, _ change: (inout View) -> Void) {
        isEdited = true
        change(&processes[process, default: Process()].views[lane, default: View()])
    }

    mutating func change(_ lane: String, _ change: (inout Shared) -> Void) { change(&lanes[lane, default: Shared()]) }

    func needLock(_ lane: String, _ process: Int, for what: String) throws(Violation) {
        guard lanes[lane]?.holder == process else {
            throw Violation(rule: .withoutLock, message: "P\(process) \(what) outside of the lane")
        }
    }

    /// The least time that a service is given to act on a request that nobody waits for.
    static let serviceTime = Duration.seconds(1)

    /// Nobody waits any more for the answer to what was sent under `mark`.
    mutating func leave(_ mark: String) {
        guard left[mark] == nil else { return }
        left[mark] = now
        for token in requests.keys {
            requests[token] = requests[token]?.map { request in
                var request = request
                if request.mark == mark { request.until = min(now + Self.serviceTime, request.until) }
                return request
            }
        }
    }

    /// When the marked request can no longer arrive, as `process` can know it.
    func end(of mark: LaneRecord.Mark, for process: Int, _ lane: String) -> MonotonicInstant {
        let deadline = min(max(mark.deadline, .zero), .seconds(120))
        if mark.sent.boot == boot, mark.sent.at <= now {
            return left[mark.id].map { min($0 + Self.serviceTime, mark.sent.at + deadline) } ?? mark.sent.at + deadline
        }
        return (view(process, lane).firstSeen[mark] ?? now) + deadline
    }
}

extension LaneTrace.Violation: Error {}
