public import Latchkey
import LatchkeyTesting

/// What the transports are put through: the wrapper its contract, over nothing, and both that of transports, over real
/// sockets.
@available(macOS 15, *)
public enum FerryTrial {
    /// Runs the contracts over what `ferry` wraps and `raft` makes.
    ///
    /// - Parameter timeLimit: How long a clause may take, in real time.
    public static func run(
        timeLimit: Duration = .seconds(30),
        ferry:
            @escaping @Sendable (
                _ wrapped: any HTTPTransport, PluginContext, _ log: @escaping @Sendable (String) -> Void
            ) -> any HTTPTransport,
        raft: @escaping @Sendable (_ cap: Int) -> any HTTPTransport
    ) async throws {
        let log = Lines()
        try await TransportWrapperContract(written: { log.all }, timeLimit: timeLimit) { wrapped, context in
            ferry(wrapped, context) { log.add($0) }
        }.run()
        try await TransportContract(cap: 65_536, timeLimit: timeLimit, raft(65_536)).run()
        try await TransportContract(
            cap: 65_536, timeLimit: timeLimit, ferry(raft(65_536), .system) { log.add($0) }
        ).run()
    }
}
