import Latchkey
import LatchkeyAuditLog
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeyOAuth

/// The code of `Documentation/Stores/AuditLog.md`, compiled.
enum AuditLogSnippets {
    static func client(_ directory: String, _ account: AccountID) async throws {
        let log = AuditLog(at: "/home/ada/.local/share/notes/audit")
        let auth = try AuthClient.Builder()
            .provider(.oauth(issuer: "https://id.example.com", clientID: "notes"))
            .store(.file(unencryptedAt: directory))
            .transport(.curl())
            .auditLog(log)  // sign-ins, sign-outs, refusals, locks: written by itself
            .build()

        try await log.record(AuditEvent(.passwordChanged, of: account, reason: .person))  // what only the app knows
        try await log.flush()  // before the program ends
        let report = try await log.verify()  // report.findings is empty, or says where somebody was
        _ = (auth, report)
    }
}
