import Foundation
public import Latchkey
import LatchkeyTesting

/// What a store over Redis is put through, at one server for all: the contract of stores behind a network, and that of every
/// store.
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
        let port = try await shared.value.port
        try await FarStoreContract(at: port, patience: .seconds(1), timeLimit: timeLimit) {
            make($0, $1, $2)
        }.run()
        let places = Places()
        try await StoreContract(
            reopening: { make(port, await places.last, $1) }, timeLimit: timeLimit,
            { make(port, await places.next(in: $0), $0) }
        ).run()
    }

    /// Where the records of each clause are.
    private actor Places {
        private(set) var last = ""

        func next(in context: PluginContext) -> String {
            last = context.randomName()
            return last
        }
    }

    /// Ends the server.
    public static func end() async { if let server = try? await shared.value { await server.kill() } }
}
