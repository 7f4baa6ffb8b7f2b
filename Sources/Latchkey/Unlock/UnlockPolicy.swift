/// When the gate wants a proof, and what goes on while it is locked.
public struct UnlockPolicy: Hashable, Sendable {
    /// Whether the person decides if there is a gate.
    @nonexhaustive
    public enum Enrolment: String, Hashable, Sendable {
        /// The gate is always in force.
        case required
        /// The gate is in force once the person has switched it on. ``AuthEvent/unlockOffered`` comes once, after the first
        /// sign-in on a device that can ask; ``AuthClient/setUnlockEnabled(_:)`` is the switch, and signing the last account
        /// out turns it off. Not for a store that a key opens.
        case offered
    }

    /// Whether sessions outlive the process.
    @nonexhaustive
    public enum Keeping: String, Hashable, Sendable {
        /// They do.
        case always
        /// Only while the person has switched the unlock on; else they are in memory alone, and each launch is a fresh
        /// sign-in. So are revocations that wait. Needs ``Enrolment/offered``.
        case whileEnabled
    }

    /// Whether the client starts locked. Default: yes. A store that a key opens starts locked in any case. Where it is
    /// `false` and there is an ``interval``, the last proof counts for a later process as well, until the machine is
    /// restarted.
    public var atLaunch: Bool
    /// How long the app may be in the background (``AppPhase/background``) before the gate locks; zero: at once; `nil`: it
    /// does not lock for that. It locks then and there, and not when the app comes back.
    public var afterBackground: Duration?
    /// How long one proof counts, whatever the person does meanwhile; `nil`: until the gate is locked for another reason.
    public var interval: Duration?
    /// Whether ``AuthClient/isShielded`` covers the app from before it is hidden. Default: yes.
    public var shields: Bool
    /// Whether the labels of accounts, such as addresses, are told while locked. Default: no. Their ids are.
    public var showsLabels: Bool
    /// Whether the person decides if there is a gate. Default: no.
    public var enrolment: Enrolment
    /// Whether sessions outlive the process. Default: they do.
    public var keeping: Keeping

    /// A policy of its parts. Negative durations are refused by `build()`.
    public init(
        atLaunch: Bool = true, afterBackground: Duration? = nil, interval: Duration? = nil, shields: Bool = true,
        showsLabels: Bool = false, enrolment: Enrolment = .required, keeping: Keeping = .always
    ) {
        self.atLaunch = atLaunch
        self.afterBackground = afterBackground
        self.interval = interval
        self.shields = shields
        self.showsLabels = showsLabels
        self.enrolment = enrolment
        self.keeping = keeping
    }
}

/// Where the app is, as the system tells it: SwiftUI's `ScenePhase`, a window's focus.
public enum AppPhase: String, CaseIterable, Hashable, Sendable {
    /// In front, and used.
    case active
    /// In front, and not used: a call, a permission dialogue, the app switcher. Never locks by itself.
    case inactive
    /// Out of sight.
    case background
}

/// Which authenticator is asked.
public enum UnlockChoice: String, Hashable, Sendable {
    /// The first one.
    case usual
    /// The one that the app named as the fallback. Only ever asked when this is chosen.
    case fallback
}
