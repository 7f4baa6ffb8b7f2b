import Glibc
import LatchkeyCrypto

let rows: [(name: String, run: @Sendable () async throws -> Row)] = [
    ("token-sync", TokenRows.sync),
    ("token-read", TokenRows.read),
    ("token-read-main", { try await TokenRows.main() }),
    ("token-read-64", TokenRows.crowd),
    ("token-account", AccountRows.token),
    ("expired-1000", CrowdRows.expired),
    ("transport-1", { try await TransportRows.row(1) }),
    ("transport-64", { try await TransportRows.row(64) }),
    ("supabase-sign-in", { try await SupabaseRows.signIn() }),
    ("supabase-refresh", { try await SupabaseRows.refresh() }),
    ("supabase-transport", { try await SupabaseRows.transport() }),
    ("supabase-sign-in-tls", { try await SupabaseRows.signIn(overTLS: true) }),
    ("supabase-refresh-tls", { try await SupabaseRows.refresh(overTLS: true) }),
    ("supabase-transport-tls", { try await SupabaseRows.transport(overTLS: true) }),
    ("authorized-post-tls", AuthorizedRows.post),
    ("authorized-overhead", AuthorizedRows.overhead),
    ("verify-rs256", { try await VerifyRows.row("verify-rs256", .generate(.rsa(bits: 2_048)), .rs256, limit: 1.7) }),
    ("verify-es256", { try await VerifyRows.row("verify-es256", .generate(.p256), .es256, limit: 1.25) }),
    ("verify-eddsa", { try await VerifyRows.row("verify-eddsa", .generate(.ed25519), .edDSA, limit: 1.2) }),
    ("file-commit", FileRows.commit),
    ("vault-commit", VaultRows.commit),
    ("vault-open", VaultRows.open),
    ("vault-1000", VaultRows.crowd),
    ("tool-token", { try await ToolRows.token() }),
    ("tool-token-gh", { try await ToolRows.token(besides: "gh", limit: 1) }),
    ("tool-token-pass", { try await ToolRows.token(besides: "pass", limit: 1) }),
    ("tool-token-oidc", { try await ToolRows.token(besides: "oidc", limit: nil) }),
    ("binary-size", { try ToolRows.size() }),
    ("consumer-build", { try ToolRows.consumer() }),
    ("account-memory", AccountRows.memory),
    ("restore-memory", StoreRows.memory),
    ("restore-files", StoreRows.files),
    ("named-memory", NamedRows.memory),
    ("named-files", NamedRows.files),
]

let wanted = CommandLine.arguments.dropFirst()
if wanted.first == "--list" {
    for row in rows { print(row.name) }
    exit(0)
}
let unknown = wanted.filter { name in !rows.contains { $0.name == name } }
guard unknown.isEmpty else {
    print("unknown rows: \(unknown.joined(separator: " ")); there are \(rows.map(\.name).joined(separator: " "))")
    exit(2)
}
var isOver = false
for (name, run) in rows where wanted.isEmpty || wanted.contains(name) {
    do {
        let row = try await run()
        print(row.text)
        if !row.isWithin { isOver = true }
    } catch BenchError.skipped(let reason) {
        print("\(name) skipped: \(reason)")
    } catch {
        print("\(name) failed: \(error)")
        isOver = true
    }
    fflush(nil)
}
exit(isOver ? 1 : 0)
