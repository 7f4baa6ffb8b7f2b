/// What a look at the whole log found.
public struct AuditReport: Hashable, Sendable {
    /// Something that nobody who appends, rotates or erases with this module does.
    @nonexhaustive
    public enum Finding: Hashable, Sendable {
        /// The line with this number in the file, from 1, was changed or put in.
        case altered(line: Int)
        /// This many lines are missing after the one with the given number.
        case missing(after: Int64, count: Int64)
        /// The line with this number in the file is not where it was written.
        case disordered(line: Int)
        /// The file does not begin as it should: its beginning was cut off.
        case noStart
        /// This many lines are missing at the end, or the whole file is.
        case cutOff(count: Int64)
        /// The file `audit.head` is missing, changed, or another log's, so nothing says where the log ended.
        case noHead
        /// A process met damage earlier and said so in the log; this many lines were missing then.
        case reported(count: Int64)
        /// This many findings were in lines that are no longer there, since they became too old or were erased.
        case earlier(count: Int64)
    }

    /// What is wrong; empty if nothing is.
    public var findings: [Finding] = []
    /// How many lines there are.
    public var lines = 0
    /// The number of the last line; 0 if there is none.
    public var last: Int64 = 0
    /// The bytes of half a line at the end. It was never acknowledged, and the next line takes its place. A
    /// process that died while it wrote leaves one, so it does not count as a finding.
    public var tornBytes = 0

    /// Whether nothing was found.
    public var isWhole: Bool { findings.isEmpty }
}

extension AuditReport.Finding {
    /// For how many this one counts once its lines are gone.
    var weight: Int64 {
        if case .earlier(let count) = self { count } else { 1 }
    }
}
