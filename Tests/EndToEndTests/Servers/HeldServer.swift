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
    private let process: HeldProcess

    private init(issuer: String, redirect: String, process: HeldProcess) {
        self.issuer = issuer
        self.redirect = redirect
        self.process = process
    }

    /// Starts a server of `kind`; behind `proxy`, when there is one, whose address it then takes for its own.
    static func start(_ kind: ServerKind, behind proxy: CountingProxy? = nil) async throws -> HeldServer {
        try await HeldProcess.blocking { try launch(kind, behind: proxy) }
    }

    private static func launch(_ kind: ServerKind, behind proxy: CountingProxy?) throws -> HeldServer {
        let redirect = "http://127.0.0.1:\(try freePort())/callback"
        let port = try proxy.map { $0.servicePort } ?? freePort()
        let process = try HeldProcess(
            kind.script,
            ["--port", "\(port)", "--hold"] + kind.options(redirect: redirect)
                + (proxy.map { ["--public", $0.origin] } ?? []))
        let line = process.hear(within: 120) ?? ""
        guard line.hasPrefix("http://127.0.0.1:") else {
            throw ServerFailure(description: "\(kind) did not start: \(line.isEmpty ? "see the log above" : line)")
        }
        return HeldServer(issuer: line, redirect: redirect, process: process)
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
}
