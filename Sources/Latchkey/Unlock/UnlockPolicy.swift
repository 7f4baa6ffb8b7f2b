/// When the client asks for an unlock, and what continues while it is locked.
public struct UnlockPolicy: Hashable, Sendable {
    /// Whether the person decides if unlocking is required.
    @nonexhaustive
    public enum Enrolment: String, Hashable, Sendable {
        /// Unlocking is always required.
        case required
        /// Unlocking is required once the person has turned it on. ``AuthEvent/unlockOffered`` is
        /// sent once, after the first sign-in on a device that can ask.
        /// ``AuthClient/setUnlockEnabled(_:)`` turns it on and off, and signing out the last
        /// account turns it off. Not available for a store that a key opens.
        case offered
    }

    /// Whether sessions survive the process.
    @nonexhaustive
    public enum Keeping: String, Hashable, Sendable {
        /// They always survive it.
        case always
        /// They survive only while the person has turned unlocking on. Otherwise sessions and
        /// pending revocations are in memory only, and each launch needs a new sign-in. Requires
        /// ``Enrolment/offered``.
        case whileEnabled
    }

    /// Whether the client starts locked. Default: `true`. A store that a key opens always starts
    /// locked. If this is `false` and there is an ``interval``, the last proof also counts for a
    /// later process, until the machine restarts.
    public var atLaunch: Bool
    /// How long the app may stay in the background (``AppPhase/background``) before the client
    /// locks. Zero locks immediately; `nil` never locks for that. It locks when the time is over,
    /// not when the app comes back.
    public var afterBackground: Duration?
    /// How long one proof counts, whatever the person does meanwhile. `nil` means until something
    /// else locks the client.
    public var interval: Duration?
    /// Whether ``AuthClient/isShielded`` covers the app already before it is hidden. Default: `true`.
    public var shields: Bool
    /// Whether accounts' labels, such as addresses, are visible while locked. Default: `false`.
    /// Their IDs always are.
    public var showsLabels: Bool
    /// Whether the person decides if unlocking is required. Default: no.
    public var enrolment: Enrolment
    /// Whether sessions survive the process. Default: always.
    public var keeping: Keeping

    /// Creates a policy. `build()` refuses negative durations.
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

extension UnlockPolicy {
    /// - Throws: ``AuthError`` `configuration(.invalid)` for a negative time.
    func checkTimes() throws(AuthError) {
        for (name, duration) in [("afterBackground", afterBackground), ("interval", interval)]
        where duration.map({ $0 < .zero }) ?? false {
            throw AuthError(.configuration(.invalid), "The unlock policy's \(name) is negative.")
        }
    }
}

/// Where the app is on the screen, as the system reports it: SwiftUI's `ScenePhase`, a window's focus.
public enum AppPhase: String, CaseIterable, Hashable, Sendable {
    /// In front and in use.
    case active
    /// In front but not in use: a call, a permission dialogue, the app switcher. Never locks by itself.
    case inactive
    /// Out of sight.
    case background
}

/// Which authenticator to ask.
public enum UnlockChoice: String, Hashable, Sendable {
    /// The main one.
    case usual
    /// The fallback that the app configured. It is asked only if you choose it.
    case fallback
}
