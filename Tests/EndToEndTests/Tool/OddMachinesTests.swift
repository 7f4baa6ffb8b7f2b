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

    @Test("nobody is asked to sign in where the profile cannot be saved", arguments: [0, 34_567] as [uid_t])
    func unwritableProfiles(owner: uid_t) async throws {
        guard let other = try OtherUser() else { return }
        try other.make("home", 0o700)
        try other.make("home/.config", owner == 0 ? 0o755 : 0o500, owner: owner == 0 ? 0 : OtherUser.number)
        try other.file("secret", "dev+secret/100%", 0o400, owner: OtherUser.number)
        let login = try await other.shell(login(other, other["secret"]), environment: ["HOME": other["home"]])
        #expect(
            login.status == 7 && login.errors.contains("\(other["home/.config"]) cannot be written"), "\(login.errors)")
        #expect(login.errors.contains("XDG_CONFIG_HOME") && !login.errors.contains("chmod"), "\(login.errors)")
        #expect(!FilesBelow.list(other["home"]).contains { $0.hasSuffix(".record") })
    }

    @Test(
        "with few descriptors a command does its work, or refuses before it does anything", arguments: [20, 28, 36, 48])
    func fewDescriptors(limit: Int) async throws {
        guard let other = try OtherUser() else { return }
        try other.make("home", 0o700)
        try other.file("secret", "dev+secret/100%", 0o400, owner: OtherUser.number)
        let environment = ["HOME": other["home"]]
        let line = "ulimit -n \(limit); \(login(other, other["secret"]))"
        let result = try await other.shell(line, environment: environment)
        #expect([0, 1].contains(result.status), "\(result.status): \(result.errors)")
        if result.status == 1 {
            #expect(result.errors.contains("files can be opened at once"), "\(result.errors)")
            #expect(FilesBelow.list(other["home"]).isEmpty)
        }
    }
}
