import Foundation
public import Latchkey
import LatchkeyTesting

/// What a store over Redis is put through: the contract of stores behind a network, at one server for all.
public enum FarTrial {
    private static let shared = Task {
        let folder = FileManager.default.temporaryDirectory.appending(path: "far-trial-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return try await RedisServer(in: folder.path)
    }

    /// Runs the contract over what `make` makes, with a patience of a second.
    ///
    /// - Parameter timeLimit: How long a clause may take, in real time.
    public static func run<Store: SessionStore>(
        timeLimit: Duration = .seconds(30),
        _ make: @escaping @Sendable (_ port: UInt16, _ place: String, PluginContext) -> Store
    ) async throws {
        try await FarStoreContract(at: try await shared.value.port, patience: .seconds(1), timeLimit: timeLimit) {
            make($0, $1, $2)
        }.run()
    }

    /// Ends the server.
    public static func end() async { if let server = try? await shared.value { await server.kill() } }
}
