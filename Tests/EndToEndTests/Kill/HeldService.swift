import Latchkey
import LatchkeyDevServer
import LatchkeySystem
import Testing

/// A service that holds a refresh, and the tool signed in with it.
struct HeldService {
    let signedIn: SignedIn
    private let seen: Locked<[(entry: DevServer.Entry, at: MonotonicInstant)]>

    init(_ rotation: DevServer.Rotation) async throws {
        let seen = Locked<[(entry: DevServer.Entry, at: MonotonicInstant)]>([])
        signedIn = try await SignedIn { configuration in
            configuration.rotation = rotation
            configuration.rotationGrace = 60
            configuration.report = { entry in seen.withLock { $0.append((entry, SystemClock().now())) } }
        }
        self.seen = seen
    }

    var server: DevServer { signedIn.server }

    /// The service's lines about refreshes, in order, and when each was written.
    var refreshes: [(entry: DevServer.Entry, at: MonotonicInstant)] {
        seen.withLock { $0.filter { $0.entry.grant == DevServer.Grant.refreshToken.rawValue } }
    }

    /// How many refreshes were acted on.
    var acted: Int { refreshes.count { $0.entry.isActed } }

    func stored() throws -> StoredLogin { try StoredLogin(below: signedIn.data) }

    /// Starts a refresh and kills its process at the line that says the service has acted; where `acts` is false, as
    /// soon as the request is held on its way. What the process ended with.
    func killed(acts: Bool) async throws -> Int32 {
        let before = acted
        server.inject(DevServer.Fault(.hold, at: .token, grant: .refreshToken, acts: acts))
        let child = try signedIn.start(["refresh"])
        let isHeld = try await Child.poll(within: 30) {
            (acts ? acted > before : server.heldAnswers > 0) ? true : nil
        }
        try #require(isHeld == true, "The refresh did not come.\n\(child.errors)")
        child.signal(9)
        return try await child.wait().status
    }
}
