public import Latchkey

extension AuditLog {
    /// Checks every line, and where the log ends. Finds nothing in a log that has not begun.
    ///
    /// What it cannot find: lines that were never written; an older copy of the whole directory; what somebody did who
    /// can read the key; and, if the machine lost power after the last line, that this line was cut off.
    ///
    /// - Throws: As ``record(_:)``.
    public func verify() async throws -> AuditReport {
        try await reading { folder, keys in
            let bytes = try folder.read(AuditFolder.log) ?? []
            let end = bytes.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
            var check = ChainCheck(bytes, upTo: end, keys)
            // A log whose file and head are both gone still has a key.
            let head = try folder.read(AuditFolder.head)
            check.compare(head.flatMap { AuditHead($0, keys) })
            var report = AuditReport(findings: check.findings, lines: check.lines.count)
            if end == 0, report.findings.isEmpty { report.findings = [.cutOff(count: 0)] }
            report.last = check.last?.number ?? 0
            report.tornBytes = bytes.count - end
            return report
        } ?? AuditReport()
    }

    /// Returns every line that was written with the installation's key, the oldest first.
    ///
    /// - Parameter account: Only the lines in which this person is.
    /// - Throws: As ``record(_:)``.
    public func entries(of account: AccountID? = nil) async throws -> [AuditEntry] {
        try await reading { folder, keys in
            let bytes = try folder.read(AuditFolder.log) ?? []
            let end = bytes.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
            let entries = ChainCheck(bytes, upTo: end, keys).lines.compactMap { $0.line.map(AuditEntry.init) }
            guard let person = account.map({ keys.identifier(.person, $0.value) }) else { return entries }
            return entries.filter { $0.account == person || $0.actor == person }
        } ?? []
    }

    /// Returns the file as it is: JSON lines, each ended by a line feed, without half a line at the end. It holds
    /// hashes instead of identifiers, so that it can be given away; ``eraseAll()`` makes these hashes meaningless.
    ///
    /// - Throws: As ``record(_:)``.
    public func export() async throws -> [UInt8] {
        try await reading { folder, _ in
            let bytes = try folder.read(AuditFolder.log) ?? []
            return Array(bytes.prefix(bytes.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0))
        } ?? []
    }

    /// Returns the hash that stands for the person in this log: `a-` and 24 hexadecimal digits. `nil` if there is no
    /// log. It is another one on every installation, and after ``eraseAll()``.
    public func identifier(of account: AccountID) async throws -> String? {
        try await reading { $1.identifier(.person, account.value) }
    }
}
