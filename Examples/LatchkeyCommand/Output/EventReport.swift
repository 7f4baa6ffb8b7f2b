import FoundationEssentials
import Latchkey
import LatchkeyJSON

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An event as `events` shows it. Holds no token and no secret: events have none.
struct EventReport {
    private var name: String
    private var words: String
    private var members: [String: JSON] = [:]
    private var time: Date

    /// - Parameter names: What accounts are called; one without a name is shown by its id.
    init(_ event: AuthEvent, at time: Date, names: [AccountID: String] = [:]) {
        self.time = time
        func called(_ account: AccountID) -> String { names[account] ?? account.value }
        switch event {
        case .signedIn(let account): (name, words) = ("signedIn", "\(called(account)) signed in")
        case .refreshed(let account, let audience):
            (name, words) = ("refreshed", "\(called(account)) has a new token")
            if audience != .standard {
                words += " for \(audience.name)"
                members["audience"] = .string(audience.name)
            }
        case .stateChanged(let account, let state):
            let report = AccountReport(
                account: Account(id: account, provider: "", authority: "", state: state), now: time)
            (name, words) = ("state", "\(called(account)) is \(report.words())")
            members["state"] = .string(report.state)
        case .expiring(let account, let rest):
            (name, words) = (
                "expiring",
                "The token of \(called(account)) ends in \(Durations.describe(.seconds(rest.wholeSecondsUp)))"
            )
        case .authenticationRequired(let account, let reason):
            name = "authenticationRequired"
            words = "\(called(account)) must sign in again (\(reason.rawValue))"
            members["reason"] = .string(reason.rawValue)
        case .stepUpRequired(let account, _):
            (name, words) = ("stepUpRequired", "\(called(account)) must prove more to a resource")
        case .signedOut(let account, let cause):
            let by =
                switch cause {
                case .app: "here"
                case .elsewhere: "by another process"
                case .service: "by the service"
                }
            (name, words) = ("signedOut", "\(called(account)) was signed out \(by)")
            members["by"] = .string(cause.rawValue)
        case .currentChanged(let account):
            (name, words) = (
                "currentChanged", account.map { "\(called($0)) is the current account" } ?? "No account is current"
            )
        case .locked: (name, words) = ("locked", "The sessions were locked")
        case .unlocked: (name, words) = ("unlocked", "The sessions were unlocked")
        case .shieldChanged(let isUp):
            (name, words) = ("shield", isUp ? "What is shown shall be covered" : "What is shown need not be covered")
            members["up"] = .bool(isUp)
        case .unlockOffered: (name, words) = ("unlockOffered", "An unlock can be set up")
        case .unlockAvailabilityChanged(let availability):
            (name, words) = ("unlockAvailability", "Unlocking has changed: \(availability.name)")
            members["availability"] = .string(availability.name)
        case .gap: (name, words) = ("gap", "Some events were missed")
        }
        members["account"] = event.subject.map { .string($0.value) }
        members["label"] = event.subject.flatMap { names[$0] }.map { .string($0) }
    }

    /// The object for programs.
    var json: [String: JSON] {
        members.merging(["event": .string(name), "at": .string(AccountReport.text(time))]) { $1 }
    }

    /// The line for a person: local time, and what happened.
    var line: String { "\(Self.local(time))  \(words)" }

    /// Hours, minutes and seconds of the machine's time zone.
    static func local(_ time: Date) -> String {
        var seconds = time_t(time.timeIntervalSince1970)
        var parts = tm()
        localtime_r(&seconds, &parts)
        return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }
            .joined(separator: ":")
    }
}

extension UnlockAvailability {
    /// A word for programs.
    fileprivate var name: String {
        switch self {
        case .available: "available"
        case .notEnrolled: "notEnrolled"
        case .lockedOut: "lockedOut"
        case .invalidated: "invalidated"
        case .missing: "missing"
        }
    }
}

extension AuthEvent {
    /// Whom the event is about.
    fileprivate var subject: AccountID? {
        switch self {
        case .signedIn(let account), .refreshed(let account, _), .stateChanged(let account, _),
            .expiring(let account, _), .authenticationRequired(let account, _), .stepUpRequired(let account, _),
            .signedOut(let account, _):
            account
        case .currentChanged(let account): account
        default: nil
        }
    }
}
