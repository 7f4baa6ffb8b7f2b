/// Looks for signs that another program interferes with this process.
///
/// Whoever controls the machine can hide from any such check, so a finding is a hint and its absence proves nothing.
/// The client never calls a check by itself, and refuses, locks and ends nothing because of one: the app asks
/// (``AuthClient/checkIntegrity(by:)``) and decides.
public protocol IntegrityChecking: Sendable {
    /// Returns what it finds, each finding once. Throws nothing: what cannot be looked at is
    /// ``IntegrityFinding/notChecked``.
    func check() async -> [IntegrityFinding]
}

/// A sign that another program may interfere.
@nonexhaustive
public enum IntegrityFinding: Hashable, Sendable {
    /// A debugger or a tracer is attached to this process.
    case debuggerAttached
    /// The program was started with a library in front of all others; its file name.
    case preloaded(String)
    /// Code runs from a library in a place where no library of the system or the app is; its file name.
    case foreignLibrary(String)
    /// Something could not be looked at.
    case notChecked

    /// The kind of a finding.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// See ``IntegrityFinding``.
        case debuggerAttached, preloaded, foreignLibrary, notChecked
    }

    /// The kind, without the name of a file.
    public var kind: Kind {
        switch self {
        case .debuggerAttached: .debuggerAttached
        case .preloaded: .preloaded
        case .foreignLibrary: .foreignLibrary
        case .notChecked: .notChecked
        }
    }
}
