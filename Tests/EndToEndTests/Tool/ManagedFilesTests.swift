import Latchkey
import Testing

@testable import LatchkeyCommand

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

@Suite("Files that others manage, in the tool", .timeLimit(.minutes(3))) struct ManagedFilesTests {
    private static let secret = "dev+secret/100%"

    /// A way in which a secret comes.
    struct Way: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// Whether others may read it, so that the person is told.
        var isTold = false
        var groups: String?
        /// Makes the file `secrets/token`.
        var make: @Sendable (OtherUser) throws -> Void
    }

    private static func volume(_ other: OtherUser, _ mode: UInt32, group: gid_t = 0) throws {
        try other.make("secrets/..2024_11_27", 0o755, owner: 0, group: 0)
        try other.make("secrets", 0o1777, owner: 0, group: 0)
        try other.file("secrets/..2024_11_27/token", secret, mode, group: group)
        try other.link("secrets/..data", "..2024_11_27")
        try other.link("secrets/token", "..data/token")
    }

    private static func plain(_ other: OtherUser, _ mode: UInt32, owner: uid_t = 0, group: gid_t = 0) throws {
        try other.make("secrets", 0o755, owner: 0, group: 0)
        try other.file("secrets/token", secret, mode, owner: owner, group: group)
    }

    static let ways = [
        Way(testDescription: "Kubernetes' links", isTold: true) { try volume($0, 0o644) },
        Way(testDescription: "Kubernetes' links with an fsGroup", isTold: true, groups: "23456") {
            try volume($0, 0o440, group: OtherUser.team)
        },
        Way(testDescription: "Docker's 0444", isTold: true) { try plain($0, 0o444) },
        Way(testDescription: "root's 0440, with a group", isTold: true, groups: "23456") {
            try plain($0, 0o440, group: OtherUser.team)
        },
        Way(testDescription: "one's own 0640", isTold: true) {
            try plain($0, 0o640, owner: OtherUser.number, group: OtherUser.team)
        },
        Way(testDescription: "one's own 0400") { try plain($0, 0o400, owner: OtherUser.number) },
    ]

    private func environment(_ other: OtherUser) throws -> [String: String] {
        try other.make("home", 0o700)
        return ["HOME": other["home"]]
    }

    @Test("a secret is read as containers have it, and it is told if others may read it", arguments: ways)
    func secrets(way: Way) async throws {
        guard let other = try OtherUser() else { return }
        try way.make(other)
        let environment = try environment(other)
        let words = other.login
        let login = try await other.run(
            words[0], words[1], words[2], words[3], words[4], words[5], "--client-secret-file", other["secrets/token"],
            environment: environment, groups: way.groups)
        #expect(login.status == 0, "\(login.errors)")
        #expect(login.errors.contains("may read the client's secret") == way.isTold, "\(login.errors)")
        #expect(!login.errors.contains(Self.secret))
        let token = try await other.run(
            "token", "--min-validity", "10h", environment: environment, groups: way.groups)
        #expect(token.status == 0, "\(token.errors)")
    }

    @Test("a secret comes from a program or from standard input, a line of it, and the profile remembers the way")
    func descriptors() async throws {
        guard let other = try OtherUser() else { return }
        let environment = try environment(other)
        let login = "latchkey \(other.login.joined(separator: " ")) --client-secret-file"
        let program = try await other.shell("\(login) <(echo '\(Self.secret)')", environment: environment)
        #expect(program.status == 0, "\(program.errors)")
        #expect(program.errors.contains("must be given it there again"), "\(program.errors)")
        let input = try await other.shell(
            "{ \(login) /dev/stdin && cat; }", environment: environment, input: "\(Self.secret)\nrest\n")
        #expect(input.status == 0 && input.output.hasSuffix("rest\n"), "\(input.errors)\(input.output)")
        let again = try await other.shell(
            "latchkey token --min-validity 10h", environment: environment, input: "\(Self.secret)\n")
        #expect(again.status == 0, "\(again.errors)")
        let none = try await other.shell("latchkey token --min-validity 10h", environment: environment)
        #expect(none.status == 8 && none.errors.contains("/dev/stdin is closed, or holds nothing"), "\(none.errors)")
        #expect(none.errors.contains("latchkey profiles edit default --client-secret-file FILE"), "\(none.errors)")
        let closed = try await other.shell("\(login) /dev/fd/9 9<&-", environment: environment)
        #expect(closed.status == 8 && closed.errors.contains("/dev/fd/9 is closed"), "\(closed.errors)")
    }

    @Test("a secret that others could have put there is refused, and no hint changes it")
    func foreign() async throws {
        guard let other = try OtherUser() else { return }
        let environment = try environment(other)
        try Self.volume(other, 0o644)
        let changes: [@Sendable () -> Int32] = [
            { lchown(other["secrets/token"], 65_534, 65_534) }, { lchown(other["secrets/..data"], 65_534, 65_534) },
            { chown(other["secrets/..2024_11_27/token"], 65_534, 0) },
            { chmod(other["secrets/..2024_11_27/token"], 0o646) }, { chmod(other["secrets/..2024_11_27"], 0o777) },
        ]
        for change in changes {
            try #require(change() == 0)
            let words = other.login
            let login = try await other.run(
                words[0], words[1], words[2], words[3], words[4], words[5], "--client-secret-file",
                other["secrets/token"], environment: environment)
            #expect(login.status == 7, "\(login.errors)")
            #expect(!login.errors.contains("chmod") && !login.errors.contains("chown"), "\(login.errors)")
            try #require(lchown(other["secrets/token"], 0, 0) == 0 && lchown(other["secrets/..data"], 0, 0) == 0)
            try #require(chown(other["secrets/..2024_11_27/token"], 0, 0) == 0)
            other.folder.setMode(other["secrets/..2024_11_27"], 0o755)
            other.folder.setMode(other["secrets/..2024_11_27/token"], 0o644)
        }
    }

    private static let profile = "home/.config/latchkey/profiles/default.json"

    /// A user who is signed in, and the text of the profile.
    private func signedIn() async throws -> (OtherUser, [String: String], String)? {
        guard let other = try OtherUser() else { return nil }
        let environment = try environment(other)
        try Self.plain(other, 0o400, owner: OtherUser.number)
        let words = other.login
        let login = try await other.run(
            words[0], words[1], words[2], words[3], words[4], words[5], "--client-secret-file", other["secrets/token"],
            environment: environment)
        try #require(login.status == 0, "\(login.errors)")
        let text = try #require(try SystemFiles().read(other[Self.profile], limit: 1 << 16))
        return (other, environment, String(decoding: text, as: UTF8.self))
    }

    @Test("a profile in a package store is used, never written, and its place is named")
    func packageStore() async throws {
        guard let (other, environment, text) = try await signedIn() else { return }
        try other.make("store/abc-files", 0o755, owner: 0, group: 0)
        try other.make("store", 0o1775, owner: 0, group: OtherUser.team)
        try other.file("store/abc-files/default.json", text, 0o444)
        try SystemFiles().remove(other[Self.profile])
        try other.link(Self.profile, other["store/abc-files/default.json"], owner: OtherUser.number)
        for words in [["token"], ["status"], ["profiles", "show", "default"], ["doctor", "--offline"]] {
            let result = try await other.shell(
                "latchkey \(words.joined(separator: " "))", environment: environment)
            #expect(result.status == 0, "\(words): \(result.errors)")
        }
        let same = try await other.shell(
            "latchkey \(other.login.joined(separator: " ")) --client-secret-file \(other["secrets/token"])",
            environment: environment)
        #expect(same.status == 0, "\(same.errors)")
        for words in ["profiles edit default --scope other", "login --scope other"] {
            let edit = try await other.shell("latchkey \(words)", environment: environment)
            #expect(edit.status == 7, "\(words): \(edit.output)")
            let place = other["store/abc-files/default.json"]
            #expect(edit.errors.contains("is managed elsewhere, at \(place)"), "\(edit.errors)")
        }
        #expect(try SystemFiles().status(other[Self.profile])?.kind == .link)
    }

    @Test("a profile among dotfiles is written where it is, and root's copy is replaced by one's own")
    func dotfiles() async throws {
        guard let (other, environment, text) = try await signedIn() else { return }
        try other.make("home/dotfiles", 0o775, group: OtherUser.team)
        try other.file("home/dotfiles/default.json", text, 0o664, owner: OtherUser.number, group: OtherUser.team)
        try SystemFiles().remove(other[Self.profile])
        try other.link(Self.profile, "../../../dotfiles/default.json", owner: OtherUser.number)
        let edit = try await other.shell(
            "latchkey profiles edit default --product Notes/1.2", environment: environment)
        #expect(edit.status == 0, "\(edit.errors)")
        #expect(try SystemFiles().status(other[Self.profile])?.kind == .link)
        let written = try #require(try SystemFiles().read(other["home/dotfiles/default.json"], limit: 1 << 16))
        #expect(String(decoding: written, as: UTF8.self).contains("Notes/1.2"))
        #expect(try SystemFiles().list(other["home/dotfiles"]) == ["default.json"])
        try SystemFiles().remove(other[Self.profile])
        try other.file(Self.profile, text, 0o644)
        #expect(try await other.shell("latchkey token", environment: environment).status == 0)
        let own = try await other.shell(
            "latchkey profiles edit default --product Notes/1.3", environment: environment)
        #expect(own.status == 0, "\(own.errors)")
        #expect(try SystemFiles().status(other[Self.profile])?.owner == OtherUser.number)
    }
}
