public import FoundationEssentials
import LatchkeyJSON

/// One line of the log, as it was read back. Its names are those of the file.
public struct AuditEntry: Hashable, Sendable {
    /// What a line is.
    @nonexhaustive
    public enum Kind: String, Sendable {
        /// The first line of the file: it says what is no longer there.
        case start
        /// Something happened.
        case event
        /// The client told faster than the disk could write; `count` events are missing here.
        case dropped
        /// Lines were erased here on request, `count` of them.
        case erased
        /// A process found the log damaged here and went on; `count` lines were missing then.
        case broken
    }

    /// What the line is.
    public var kind: Kind
    /// Its number. Numbers are never given twice, except after everything was erased.
    public var number: Int64
    /// When it happened, by the wall clock of that moment; `nil` for lines about erased ones.
    public var time: Date?
    /// What happened: an ``AuditEvent/Action``, or the word of a newer version.
    public var action: String?
    /// The hash of the person: see ``AuditLog/identifier(of:)``.
    public var account: String?
    /// The hash of who did it.
    public var actor: String?
    /// The provider's name, or its hash.
    public var provider: String?
    /// How the person signed in.
    public var method: String?
    /// The hash of the device.
    public var device: String?
    /// How it ended.
    public var result: String?
    /// Why.
    public var reason: String?
    /// The process that wrote it.
    public var process: Int64?
    /// How many lines this one stands for.
    public var count: Int64?
}

extension AuditEntry {
    init(_ line: AuditLine) {
        self.init(kind: line.kind, number: line.number)
        time = line.time
        action = line["action"]?.string
        account = line["account"]?.string
        actor = line["actor"]?.string
        provider = line["provider"]?.string
        method = line["method"]?.string
        device = line["device"]?.string
        result = line["result"]?.string
        reason = line["reason"]?.string
        process = line["process"]?.integer
        count = line["count"]?.integer
    }
}
