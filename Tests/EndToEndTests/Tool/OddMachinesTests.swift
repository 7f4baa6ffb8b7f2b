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

    @Test("login asks no person to sign in where the profile cannot be saved", arguments: [0, 34_567] as [uid_t])
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

    @Test("doctor says what to look at where a directory cannot be read, and not to run doctor")
    func closedHome() async throws {
        guard let other = try OtherUser() else { return }
        try other.make("home", 0)
        let result = try await other.run("doctor", environment: ["HOME": other["home"]])
        #expect(result.status == 7 && result.errors.contains("ls -ld"), "\(result.errors)")
        #expect(!result.errors.contains("latchkey doctor"), "\(result.errors)")
    }

    @Test("the hint accepts a directory by the variable if that names another one")
    func acceptedElsewhere() async throws {
        guard let other = try OtherUser() else { return }
        try other.make("volume", 0o777, owner: 0, group: 0)
        try other.make("home", 0o700)
        try other.file("secret", "dev+secret/100%", 0o400, owner: OtherUser.number)
        let environment = [
            "HOME": other["home"], "XDG_DATA_HOME": other["volume"], "LATCHKEY_ACCEPT_DIRECTORY": other["elsewhere"],
        ]
        let refused = try await other.shell(login(other, other["secret"]), environment: environment)
        let command = try #require(refused.errors.firstMatch(of: /others have: (.+)\n/)?.output.1)
        #expect(command.hasPrefix("export LATCHKEY_ACCEPT_DIRECTORY="))
        let accepted = try await other.shell("\(command); \(login(other, other["secret"]))", environment: environment)
        #expect(accepted.status == 0, "\(accepted.errors)")
    }

    @Test("without HOME the hint names what to set")
    func homeless() async throws {
        guard let other = try OtherUser() else { return }
        let homeless = try await other.run("token", environment: [:])
        #expect(homeless.status == 8 && homeless.errors.contains("hint: Set HOME"), "\(homeless.errors)")
    }

    @Test("a HOME that is not in UTF-8 is named, and no directory is made of what it looks like")
    func notUTF8() async throws {
        guard let other = try OtherUser() else { return }
        try other.make("above", 0o700)
        let line = "HOME=$(printf '%s/caf\\351' \(other["above"])) latchkey status"
        let result = try await other.shell(line, environment: [:])
        #expect(result.status == 8 && result.errors.contains("HOME is not in UTF-8"), "\(result.errors)")
        #expect(FilesBelow.list(other["above"]).isEmpty)
    }

    @Test("a file where a directory should be is named, and the hint does not say to close it")
    func fileInstead() async throws {
        guard let other = try OtherUser() else { return }
        try other.make("home", 0o700)
        try other.file("home/.config", "", 0o644, owner: OtherUser.number, group: OtherUser.number)
        let result = try await other.run("token", environment: ["HOME": other["home"]])
        #expect(result.status == 7 && result.errors.contains("\(other["home/.config"]) is not a directory"))
        #expect(result.errors.contains("hint: Move that file away"), "\(result.errors)")
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

    @Test("a first sign-in whose answer is lost is begun again by the same command, because there is no profile yet")
    func lostAnswer() async throws {
        guard let other = try OtherUser() else { return }
        try other.make("home", 0o700)
        try other.file("secret", "dev+secret/100%", 0o400, owner: OtherUser.number)
        let environment = ["HOME": other["home"]]
        let line = login(other, other["secret"])
        other.server.inject(DevServer.Fault(.dropAfterActing, at: .token))
        let lost = try await other.shell(line, environment: environment)
        #expect(lost.errors.contains("hint: Begin again with the same command"), "\(lost.errors)")
        let again = try await other.shell(line, environment: environment)
        #expect(again.status == 0, "\(again.errors)")
    }

    @Test("a store that root has made is taken back by the command that the error names, and a home of root's is named")
    func rootsOwn() async throws {
        guard let other = try OtherUser() else { return }
        try other.make("home", 0o700)
        try other.file("secret", "dev+secret/100%", 0o400, owner: OtherUser.number)
        let environment = ["HOME": other["home"]]
        let login = try await other.shell(login(other, other["secret"]), environment: environment)
        #expect(login.status == 0, "\(login.errors)")
        let store = other["home/.local/share/latchkey/default"]
        try #require(chown(store, 0, 0) == 0)
        let result = try await other.run("token", environment: environment)
        let command = "sudo chown -R \"$(id -u)\" \(store)"
        #expect(result.status == 7 && result.errors.contains("belongs to root; \(command)"), "\(result.errors)")
        try #require(chown(other["home"], 0, 0) == 0)
        let home = try await other.run("token", environment: environment)
        #expect(home.errors.contains("HOME is that of user root") && !home.errors.contains("chown"), "\(home.errors)")
    }
}
