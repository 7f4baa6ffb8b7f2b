import Latchkey
import Testing

@testable import LatchkeyCommand

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

@Suite("Places as usual systems have them", .timeLimit(.minutes(3))) struct UsualSystemsTests {
    /// A volume that cannot be closed by its user.
    struct Volume: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var mode: UInt32
        var owner: uid_t = 0
        var group: gid_t = 0
        /// The group that the tool runs with.
        var own: gid_t = OtherUser.number
    }

    static let volumes = [
        Volume(testDescription: "Kubernetes' emptyDir", mode: 0o777),
        Volume(testDescription: "the same with an fsGroup", mode: 0o2777, group: OtherUser.team),
        Volume(testDescription: "OpenShift's, of group 0, for a user without an account", mode: 0o770, own: 0),
        Volume(testDescription: "a drive of Windows", mode: 0o777, owner: OtherUser.number, group: OtherUser.number),
    ]

    private func login(_ other: OtherUser, _ secret: String) -> String {
        (["latchkey"] + other.login + ["--client-secret-file", secret]).joined(separator: " ")
    }

    @Test("below a home of mode 0700 the folders of umask 002 are fine, and what the tool makes is private")
    func umask() async throws {
        guard let other = try OtherUser() else { return }
        try other.make("home", 0o700)
        for name in [".config", ".local", ".local/share"] {
            try other.make("home/\(name)", 0o775, group: OtherUser.team)
        }
        try other.file("secret", "dev+secret/100%", 0o400, owner: OtherUser.number)
        let environment = ["HOME": other["home"]]
        let login = try await other.shell("umask 002; \(login(other, other["secret"]))", environment: environment)
        #expect(login.status == 0, "\(login.errors)")
        #expect(try await other.run("token", environment: environment).status == 0)
        for path in FilesBelow.list(other["home/.local/share/latchkey"]) {
            #expect(try SystemFiles().status(path)?.mode == 0o600, "\(path)")
        }
        #expect(try SystemFiles().status(other["home/.local/share/latchkey"])?.mode == 0o700)
        // The same folders in a home that others can enter.
        other.folder.setMode(other["home"], 0o755)
        let open = try await other.run("token", environment: environment)
        #expect(open.status == 7 && open.errors.contains("\(other["home/.config"]) may be changed by a group"))
        #expect(open.errors.contains("XDG_CONFIG_HOME") && !open.errors.contains("chmod"), "\(open.errors)")
    }

    @Test(
        "a volume that cannot be closed is named with its variable; the hint accepts it, and no other",
        arguments: volumes)
    func volume(_ volume: Volume) async throws {
        guard let other = try OtherUser() else { return }
        try other.make("volume", volume.mode, owner: volume.owner, group: volume.group)
        try other.make("elsewhere", 0o777, owner: 0, group: 0)
        try other.make("config", 0o700)
        try other.file("secret", "dev+secret/100%", 0o400, owner: OtherUser.number)
        let environment = [
            "HOME": "/nonexistent", "XDG_CONFIG_HOME": other["config"], "XDG_DATA_HOME": other["volume"],
        ]
        func shell(_ line: String, data: String = "volume") async throws -> Program.Result {
            try await other.shell(
                line, environment: environment.merging(["XDG_DATA_HOME": other[data]]) { $1 }, group: volume.own)
        }
        let refused = try await shell(login(other, other["secret"]))
        #expect(refused.status == 7)
        #expect(refused.errors.contains("\(other["volume"]) may be changed by"), "\(refused.errors)")
        #expect(refused.errors.contains("Set XDG_DATA_HOME") && !refused.errors.contains("chmod"), "\(refused.errors)")
        #expect(try SystemFiles().list(other["volume"]).isEmpty)
        let command = try #require(refused.errors.firstMatch(of: /others have: (.+)\n/)?.output.1)
        let accepted = try await shell(String(command))
        #expect(accepted.status == 0, "\(command): \(accepted.errors)")
        #expect(try await shell("latchkey token").status == 0)
        let doctor = try await shell("latchkey doctor --offline")
        #expect(doctor.output.contains("warn directory    \(other["volume"]) is accepted"), "\(doctor.output)")
        let uncovered = try await shell("latchkey token", data: "elsewhere")
        #expect(uncovered.status == 7 && uncovered.errors.contains("\(other["elsewhere"]) may be changed by everybody"))
        #expect(try SystemFiles().status(other["volume"])?.mode == volume.mode)
        let cleared = try await shell("latchkey profiles edit default --clear accept-directory")
        #expect(cleared.status == 0, "\(cleared.errors)")
        #expect(try await shell("latchkey token").status == 7)
    }

    @Test("where the profiles are on such a volume, the environment accepts it")
    func environment() async throws {
        guard let other = try OtherUser() else { return }
        try other.make("volume", 0o777, owner: 0, group: 0)
        try other.file("secret", "dev+secret/100%", 0o400, owner: OtherUser.number)
        let environment = ["HOME": other["volume"]]
        let refused = try await other.shell(login(other, other["secret"]), environment: environment)
        #expect(refused.status == 7 && refused.errors.contains("XDG_CONFIG_HOME, XDG_DATA_HOME"), "\(refused.errors)")
        let command = try #require(refused.errors.firstMatch(of: /others have: (.+)\n/)?.output.1)
        let accepted = try await other.shell(
            "\(command); \(login(other, other["secret"])) && latchkey token", environment: environment)
        #expect(accepted.status == 0, "\(command): \(accepted.errors)")
        for nothing in ["/", other["volume/../volume"]] {
            let result = try await other.run(
                "token", environment: ["HOME": other["volume"], "LATCHKEY_ACCEPT_DIRECTORY": nothing])
            #expect(result.status == 7, "\(nothing)")
        }
        let root = try await other.run(
            "profiles", "edit", "default", "--accept-directory", "/",
            environment: environment.merging(["LATCHKEY_ACCEPT_DIRECTORY": other["volume"]]) { $1 })
        #expect(root.status == 2 && root.errors.contains("--accept-directory"), "\(root.errors)")
    }

    @Test("another user's HOME is named and left alone, by root too", arguments: [0o700, 0o755] as [UInt32])
    func foreignHome(mode: UInt32) async throws {
        guard let other = try OtherUser() else { return }
        try other.make("home", mode)
        for (user, name) in [(0, "root"), (34_567, "34567")] as [(uid_t, String)] {
            for command in ["profiles", "token", "status"] {
                let result = try await other.run(
                    command, environment: ["HOME": other["home"]], user: user, group: user)
                #expect(result.errors.contains("HOME is that of user 12345; this runs as \(name)"), "\(result.errors)")
                #expect(!result.errors.contains("chown") && !result.errors.contains("chmod"), "\(result.errors)")
            }
        }
        let status = try #require(try SystemFiles().status(other["home"]))
        #expect(status.owner == OtherUser.number && status.mode == mode)
        #expect(try SystemFiles().list(other["home"]).isEmpty)
    }

    @Test("another user's XDG_RUNTIME_DIR is named, and the command that does without it runs as typed")
    func foreignRuntime() async throws {
        guard let other = try OtherUser() else { return }
        try other.make("runtime", 0o700)
        try other.make("home", 0o700, owner: 34_567, group: 34_567)
        for user in [0, 34_567] as [uid_t] {
            let environment = ["HOME": user == 0 ? "/root" : other["home"], "XDG_RUNTIME_DIR": other["runtime"]]
                .merging(user == 0 ? ["XDG_CONFIG_HOME": other["c"], "XDG_DATA_HOME": other["d"]] : [:]) { $1 }
            let result = try await other.run(
                "agent", "status", environment: environment, user: user, group: user)
            #expect(!result.errors.contains("chown") && !result.errors.contains("chmod"), "\(result.errors)")
            #expect(result.errors.contains("XDG_RUNTIME_DIR is that of user 12345"), "\(result.errors)")
            #expect(result.errors.contains("env -u XDG_RUNTIME_DIR latchkey agent status"), "\(result.errors)")
        }
        #expect(try SystemFiles().status(other["runtime"])?.owner == OtherUser.number)
        #expect(try SystemFiles().list(other["runtime"]).isEmpty)
    }

    @Test("every command that changes an owner or a mode comes from the one place that decides")
    func hints() throws {
        let allowed = try Repository.text("Sources/Latchkey/World/OwnFileRemedy.swift")
        for folder in ["Sources", "Plugins", "Tools/latchkey"] {
            for text in try Repository.swiftFiles(under: folder) where text != allowed {
                for line in text.split(separator: "\n") where line.contains(#/"[^"]*\b(chmod|chown|chgrp)\s/#) {
                    Issue.record("a text names a command by itself: \(line)")
                }
            }
        }
    }
}
