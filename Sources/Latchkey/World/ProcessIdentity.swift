/// Which process this is, so that another process of the same machine can tell later whether it still runs.
public struct ProcessIdentity: Hashable, Sendable {
    /// Where its number counts: the namespaces that the system numbers it in. Numbers of different spaces say nothing
    /// about each other.
    public var space: String
    /// The process's number.
    public var number: Int
    /// When it began, by a clock of its space, in a unit of the system's own. The system gives a number anew once its
    /// process has ended, and never with the same time.
    public var began: String

    /// Creates an identity.
    public init(space: String, number: Int, began: String) {
        self.space = space
        self.number = number
        self.began = began
    }
}

/// What became of a process.
public enum ProcessState: Sendable {
    /// It runs, or is stopped and may go on.
    case running
    /// It has ended, whoever has its number now.
    case ended
    /// It cannot be told from here.
    case unknown
}

/// Which processes still run.
public protocol ProcessLooking: Sendable {
    /// This process; `nil` where others cannot tell whether it still runs.
    var current: ProcessIdentity? { get }

    /// What became of `process`, which was of this boot.
    func state(of process: ProcessIdentity) -> ProcessState
}

/// A world where nothing is known of other processes.
public struct UnknownProcesses: ProcessLooking {
    /// Creates it.
    public init() {}

    /// `nil`.
    public var current: ProcessIdentity? { nil }

    /// ``ProcessState/unknown``.
    public func state(of process: ProcessIdentity) -> ProcessState { .unknown }
}
