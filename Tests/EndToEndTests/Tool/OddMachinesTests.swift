import Latchkey
import LatchkeyDevServer
import Testing

@testable import LatchkeyCommand

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// `Scripts/verify machines` makes more of them.
@Suite("Machines that lack something", .timeLimit(.minutes(3))) struct OddMachinesTests {
    private func login(_ other: OtherUser, _ secret: String) -> String {
        (["latchkey"] + other.login + ["--client-secret-file", secret]).joined(separator: " ")
    }

    @Test("the tool can use what it makes, whatever the umask", arguments: ["0277", "0777"])
    func ownBits(umask: String) async throws {
        guard let other = try OtherUser() else { return }
        try other.make("home", 0o700)
        try other.file("secret", "dev+secret/100%", 0o400, owner: OtherUser.number)
        let environment = ["HOME": other["home"]]
        let login = try await other.shell("umask \(umask); \(login(other, other["secret"]))", environment: environment)
        #expect(login.status == 0, "\(login.errors)")
        #expect(try await other.run("token", environment: environment).status == 0)
    }
}
