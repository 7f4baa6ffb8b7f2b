import Latchkey
import LatchkeyDevServer
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// A user that the machine has no account for. A test runs the tool as that user, with a folder of its own.
struct OtherUser: Sendable {
    /// The user's number, and that of the user's group.
    static let number: uid_t = 12_345
    /// A group that has other members.
    static let team: gid_t = 23_456

    let folder = TemporaryFolder()
    let server: DevServer
    private let setpriv: Program
    private let tool: Tool

    /// `nil`, with the reason in print, where this machine lets a test have no other user.
    init?() throws {
        guard geteuid() == 0, let path = Program.onPath("setpriv") else {
            print("another user: skipped: that takes root and setpriv")
            return nil
        }
        (setpriv, tool, server) = (Program(path), try Tool(), try Service.start())
        folder.setMode(folder.path, 0o755)
        try SystemFiles().makeDirectory("\(folder.path)/bin")
        folder.setMode("\(folder.path)/bin", 0o755)
        folder.link("\(folder.path)/bin/latchkey", to: tool.path)
    }

    /// Returns the path of `name` in the folder.
    subscript(name: String) -> String { "\(folder.path)/\(name)" }

    /// Makes a folder.
    func make(_ name: String, _ mode: UInt32, owner: uid_t = OtherUser.number, group: gid_t = OtherUser.number) throws {
        try SystemFiles().makeDirectory(self[name])
        try #require(chown(self[name], owner, group) == 0)
        folder.setMode(self[name], mode)
    }

    /// Makes a file.
    func file(_ name: String, _ text: String, _ mode: UInt32, owner: uid_t = 0, group: gid_t = 0) throws {
        try SystemFiles().writeNew(self[name], Array(text.utf8))
        try #require(chown(self[name], owner, group) == 0)
        folder.setMode(self[name], mode)
    }

    /// Makes a link.
    func link(_ name: String, _ target: String, owner: uid_t = 0) throws {
        folder.link(self[name], to: target)
        try #require(lchown(self[name], owner, owner) == 0)
    }

    /// Runs the tool.
    func run(
        _ words: String..., environment: [String: String], input: String = "", user: uid_t = OtherUser.number,
        group: gid_t = OtherUser.number, groups: String? = nil
    ) async throws -> Program.Result {
        try await start(
            [tool.path] + words, environment: environment, input: input, user: user, group: group, groups: groups)
    }

    /// Runs a line of the shell, on whose path the tool is.
    func shell(
        _ line: String, environment: [String: String], input: String = "", group: gid_t = OtherUser.number
    ) async throws -> Program.Result {
        try await start(
            ["bash", "-c", "PATH=\(self["bin"]):$PATH; \(line)"], environment: environment, input: input, group: group)
    }

    private func start(
        _ words: [String], environment: [String: String], input: String, user: uid_t = OtherUser.number,
        group: gid_t = OtherUser.number, groups: String? = nil
    ) async throws -> Program.Result {
        let more = groups.map { ["--groups", $0] } ?? ["--clear-groups"]
        let user = ["--reuid", "\(user)", "--regid", "\(group)"]
        return try await setpriv.run(user + more + ["--"] + words, environment: environment, input: input)
    }

    /// The words of a login without a person.
    var login: [String] { ["login", "--issuer", server.issuer, "--client-id", "dev-service", "--client-credentials"] }
}
