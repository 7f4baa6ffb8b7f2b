import Latchkey
import LatchkeyJSON

/// What lies in a store about a login, told without its secrets.
struct StoredLogin: CustomStringConvertible {
    private let record: JSON?

    /// The first record of a credential below `directory`; none at all is a store in which nobody ever was.
    init(below directory: String) throws {
        let path = FilesBelow.list(directory).first { path in
            path.split(separator: "/").last.map { $0.hasPrefix("credential-") && $0.hasSuffix(".record") } ?? false
        }
        guard let path, let bytes = try SystemFiles().read(path, limit: 1 << 20) else {
            record = nil
            return
        }
        // One line says what the file is; the record follows.
        let end = bytes.firstIndex(of: 0x0A) ?? bytes.startIndex
        record = try JSON.parse(Array(bytes[(end + 1)...]))
    }

    var login: String? { record?["login"]?.string }
    var hasCredential: Bool { record?["credential"]?.object != nil }
    var hasMark: Bool { record?["mark"]?.object != nil }
    var ended: [String] { (record?["ended"]?.array ?? []).compactMap { $0["cause"]?.string } }
    var pending: Int { record?["pending"]?.array?.count ?? 0 }

    /// When the marked request was sent, by the clock of the boot.
    var markSent: MonotonicInstant? {
        record?["mark"]?["sent"]?["at"]?.integer.map { MonotonicInstant(nanoseconds: $0) }
    }

    var description: String {
        guard record != nil else { return "none" }
        let reasons = ended.isEmpty ? "none" : ended.joined(separator: ",")
        return "login=\(login?.prefix(8) ?? "?") credential=\(hasCredential ? "there" : "none")"
            + " mark=\(hasMark ? "open" : "none") ended=\(reasons) pending=\(pending)"
    }
}
