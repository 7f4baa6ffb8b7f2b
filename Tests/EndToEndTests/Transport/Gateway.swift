import Foundation
import Glibc
import LatchkeySystem

/// A server of `Tests/Servers` that stands between a client and a service, and belongs to one test.
final class Gateway: Sendable {
    /// Which one.
    enum Kind: String, CustomStringConvertible {
        case nginx
        case tinyproxy

        var description: String { rawValue }

        /// Whether the tests shall run: the program is there, or it must be.
        var isWanted: Bool { ServerKind.areRequired || isInstalled }

        var missing: String { "\(self) is not installed; run: Scripts/setup --servers" }

        private var isInstalled: Bool {
            let folders = [
                "/usr/sbin", "/usr/bin", "/usr/local/sbin", "\(Repository.root)/.build/servers/nginx/usr/sbin",
            ]
            return folders.contains { access("\($0)/\(self)", X_OK) == 0 }
        }
    }

    /// Where it is reached.
    let url: String
    let port: UInt16
    private let process: HeldProcess
    private let folder: TemporaryFolder

    private init(_ kind: Kind, _ options: [String]) throws {
        folder = TemporaryFolder()
        port = try HeldServer.freePort()
        process = try HeldProcess(
            "\(Repository.root)/Tests/Servers/\(kind)/start",
            ["--state", folder.path, "--port", "\(port)", "--hold"] + options)
        url = process.hear(within: 60) ?? ""
        guard url.hasSuffix(":\(port)") else { throw ServerFailure(description: "\(kind) did not start") }
    }

    static func start(_ kind: Kind, _ options: [String] = []) async throws -> Gateway {
        // The script blocks: not on a thread that tasks run on.
        let result = await DetachedThread.run { Result { try Gateway(kind, options) } }
        guard let result else { throw ServerFailure(description: "no thread is left") }
        return try result.get()
    }

    /// The certificate, which is its own authority.
    var caFile: String { "\(folder.path)/cert.pem" }

    /// The lines of one of its files.
    func lines(of file: String) throws -> [Substring] { try text("\(folder.path)/\(file)").split(separator: "\n") }

    /// The first lines of a file, once there are `count`; all of them where that is not so in time.
    func lines(of file: String, atLeast count: Int) async throws -> [Substring] {
        let lines = try await Child.poll(within: 60) { () -> [Substring]? in
            guard let lines = try? self.lines(of: file), lines.count >= count else { return nil }
            return lines
        }
        return try lines ?? self.lines(of: file)
    }

    /// Sends a signal to the server itself.
    func signal(_ number: Int32) throws { kill(try pid(), number) }

    /// Kills the server, and returns once its sockets are gone.
    func die() async throws {
        let pid = try pid()
        kill(pid, SIGKILL)
        // A zombie without further threads has closed what it had; it waits for the script, which waits for the end of
        // the test. Under load its threads end after the first one, and the connections with the last of them.
        let isDead = try await Child.poll(within: 60) { () -> Bool? in
            let state = (try? text("/proc/\(pid)/stat"))?.split(separator: ")").last?.first { $0 != " " }
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task").count) ?? 0
            return state == nil || ((state == "Z" || state == "X") && threads <= 1) ? true : nil
        }
        guard isDead == true else { throw ServerFailure(description: "the server does not die") }
    }

    private func pid() throws -> pid_t {
        guard let pid = try lines(of: "server.pid").first.flatMap({ pid_t($0) }) else {
            throw ServerFailure(description: "there is no server.pid")
        }
        return pid
    }
}

/// A whole file, of whatever size `stat` tells: those of `/proc` tell none.
private func text(_ path: String) throws -> String {
    guard let file = fopen(path, "re") else { throw ServerFailure(description: "\(path) cannot be read") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = fread(&piece, 1, piece.count, file)
        guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
        bytes += piece[..<count]
    }
}
