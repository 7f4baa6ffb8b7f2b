import Latchkey

/// One step of a lane, as somebody sees it who watches the store, the wire and the callers of several processes.
///
/// A trace of them is what the model in `Tests/Model` calls a run; ``LaneTrace`` says whether the protocol allows it.
struct LaneEvent: Hashable, Sendable {
    /// When, on the boot-time clock.
    var at: MonotonicInstant
    /// Whose step; `nil`: the machine's or the network's.
    var process: Int?
    var step: Step

    enum Step: Hashable, Sendable {
        /// The process begins; of what it does later, nothing was in memory before.
        case start
        /// The process is gone: its lanes are free, what it sent is on its way.
        case crash
        /// The machine begins another boot: its clock says `at` now.
        case boot(String)
        /// Somebody set the wall clock.
        case turned
        /// Nothing was ready to run: what was read before, everybody has acted on.
        case quiet
        /// The process has the lane now.
        case acquire(String)
        /// It lets go of it.
        case release(String)
        /// It read the record; `nil`: there is none.
        case read(String, LaneRecord?, version: String?)
        /// It asks the store to put `record` in place of what has this version; `nil`: nothing.
        case write(String, LaneRecord?, over: String?)
        /// The store took the write that is called so, and gave it a version.
        case stored(String, String, version: String?)
        /// A request is handed to the network, and may leave.
        case send(Request, String)
        /// What came back for it.
        case heard(Request, String, Reply)
        /// A request with that token arrived, or never will.
        case over(String, of: Int? = nil)
        /// A caller asks for a token.
        case ask(Int)
        /// That caller gets one.
        case show(Int, access: String, isDurable: Bool)
    }

    enum Request: String, Sendable {
        case refresh, revoke
        /// A provider's own operation after which the token is worth less than after a refresh.
        case verify
    }

    /// What came back, as the provider understands it.
    enum Reply: Hashable, Sendable {
        /// A new access token; and a refresh token, which is the one that was sent where it does not rotate.
        case granted(token: String, access: String)
        /// An error that brought a refresh token.
        case carried(token: String)
        /// A definite refusal.
        case refused
        /// The revocation is done.
        case done
        /// It surely never left.
        case unsent
        /// Nothing of use: it was lost, or the service is in trouble.
        case nothing
    }
}

/// What one record says, as far as the protocol goes by it.
struct LaneRecord: Hashable, Sendable {
    /// The write id.
    var write: String
    var login: String
    /// Names the refresh token.
    var refresh = ""
    /// The refresh token; empty where there is none. `nil`: nobody is signed in.
    var token: String?
    var access: [String] = []
    var mark: Mark?
    /// B1: the successor rests until then.
    var rest: Instant?
    var ended: [Ended] = []
    var pending: [Pending] = []

    struct Instant: Hashable, Sendable {
        var boot: String
        var at: MonotonicInstant
    }

    struct Mark: Hashable, Sendable {
        var id: String
        var refresh: String
        var sent: Instant
        var deadline: Duration
        /// Whether its request does worse to the token than a refresh.
        var isWorse = false
    }

    struct Ended: Hashable, Sendable {
        var login: String
        var cause: String
    }

    struct Pending: Hashable, Sendable {
        var login: String
        var token: String
        var mark: Mark?
    }
}
