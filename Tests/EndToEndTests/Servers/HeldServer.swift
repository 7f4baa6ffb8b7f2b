import Dispatch
import FoundationEssentials
import Glibc
import Testing

/// Why a server did not start.
struct ServerFailure: Error, CustomStringConvertible {
    var description: String
}

/// A server that somebody else wrote, started by a script of `Tests/Servers`. The script holds it until its standard
/// input ends, so that it stops with this process, however that ends.
final class HeldServer: Sendable {
    let issuer: String
    /// The one redirect URI that the server was told of, where the port matters.
    let redirect: String
    private let input: Int32

    private init(issuer: String, redirect: String, input: Int32) {
        self.issuer = issuer
        self.redirect = redirect
        self.input = input
    }

    deinit { close(input) }

    static func start(_ kind: ServerKind) async throws -> HeldServer {
        try await withCheckedThrowingContinuation { continuation in
            // The script blocks for seconds: not on a thread that tasks run on.
            DispatchQueue.global().async {
                continuation.resume(with: Result { try launch(kind) })
            }
        }
    }

    private static func launch(_ kind: ServerKind) throws -> HeldServer {
        let redirect = "http://127.0.0.1:\(try freePort())/callback"
        let port = try freePort()
        let (output, input) = try spawn(
            kind.script, ["--port", "\(port)", "--hold"] + kind.options(redirect: redirect))
        defer { close(output) }
        let lines = readLine(from: output)
        guard lines.hasPrefix("http://127.0.0.1:") else {
            close(input)
            throw ServerFailure(description: "\(kind) did not start: \(lines.isEmpty ? "see the log above" : lines)")
        }
        return HeldServer(issuer: lines, redirect: redirect, input: input)
    }

    /// A port nobody listens on now. Somebody else may take it: then the server says so, and the tests fail.
    static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let found = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard found else { throw ServerFailure(description: "no port is free") }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Starts `script` with a pipe at either end: what it prints, and what it reads.
    private static func spawn(_ script: String, _ arguments: [String]) throws -> (output: Int32, input: Int32) {
        let toChild = try pair()
        let fromChild = try pair()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        // The thread that this runs on blocks signals, and a child would inherit that: it could not be stopped.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words: [UnsafeMutablePointer<CChar>?] = ([script] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var child = pid_t()
        let status = posix_spawn(&child, script, &actions, &attributes, &words, environ)
        close(toChild[0])
        close(fromChild[1])
        guard status == 0 else { throw ServerFailure(description: "\(script) cannot be run") }
        return (fromChild[0], toChild[1])
    }

    /// Two ends that no other child inherits: `pipe` could not promise that while another thread starts a program.
    private static func pair() throws -> [Int32] {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw ServerFailure(description: "no socket is left") }
        return ends
    }

    /// The last line that comes before the script is ready or has ended.
    private static func readLine(from descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1, byte != 0x0A { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
