import Foundation
import LatchkeyTesting

/// A redis-server of this process's own: on a free port, with a folder of its own, keeping what it acknowledges.
public actor RedisServer {
    /// There is no redis-server, or it does not answer.
    public struct Missing: Error, CustomStringConvertible {
        /// What is missing.
        public var description: String
    }

    /// Where it listens, on 127.0.0.1.
    public nonisolated let port: UInt16
    private let folder: String
    private var process: Process?

    /// Starts a server that keeps its files in `folder`.
    public init(in folder: String) async throws {
        self.folder = folder
        port = try Self.freePort()
        try await start()
    }

    /// Whether the program is installed.
    public static var isInstalled: Bool { program != nil }

    private static var program: String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/redis-server" }
            .first(where: FileManager.default.isExecutableFile)
    }

    /// Starts it, or starts it anew with what it kept.
    public func start() async throws {
        guard let program = Self.program else { throw Missing(description: "redis-server is not installed") }
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = [
            "--bind", "127.0.0.1", "--port", String(port), "--dir", folder, "--save", "", "--appendonly", "yes",
            "--appendfsync", "always", "--daemonize", "no", "--logfile", "\(folder)/log",
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = process
        for _ in 0..<500 {
            if Self.answers(at: port) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Missing(description: "redis-server does not answer; its log is \(folder)/log")
    }

    /// Ends it as a crash does.
    public func kill() {
        guard let process, process.isRunning else { return }
        _ = Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        self.process = nil
    }

    /// Stops it where it is, until ``resume()``.
    public func suspend() { if let process { _ = Foundation.kill(process.processIdentifier, SIGSTOP) } }

    /// Lets it go on.
    public func resume() { if let process { _ = Foundation.kill(process.processIdentifier, SIGCONT) } }

    private static func freePort() throws -> UInt16 {
        let proxy = try CuttingProxy(to: 1)
        defer { proxy.stop() }
        return proxy.port
    }

    private static func answers(at port: UInt16) -> Bool {
        let side = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(side) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(side, $0, size) == 0 }
        }
        guard isConnected, send(side, "PING\r\n", 6, 0) == 6 else { return false }
        var answer = [UInt8](repeating: 0, count: 16)
        return recv(side, &answer, answer.count, 0) > 0 && answer.starts(with: "+PONG".utf8)
    }
}
