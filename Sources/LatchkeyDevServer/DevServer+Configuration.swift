#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension DevServer {
    /// What happens to a refresh token that was used, and to its family when it is used again.
    public enum Rotation: String, Hashable, Sendable, CaseIterable {
        /// Each use gives a new one; using an old one kills the family, access tokens included.
        case strict
        /// As `strict`, but within the grace an old one gives the same successor again, while that is unused.
        case graceSameSuccessor
        /// As `strict`, but within the grace an old one gives a further successor.
        case graceNewSuccessor
        /// One refresh token for good; answers bring none.
        case none
    }

    /// What ID tokens are signed with.
    public enum Signing: String, Hashable, Sendable, CaseIterable {
        /// RSA with 2048 bits, the algorithm every client knows.
        case rs256 = "RS256"
        /// ECDSA on P-256.
        case es256 = "ES256"
        /// Ed25519.
        case edDSA = "EdDSA"
    }

    /// How the server behaves. Lifetimes are in seconds, at least 1.
    public struct Configuration: Sendable {
        /// The port on 127.0.0.1; 0 for any free one.
        public var port: UInt16
        /// Who can sign in.
        public var users: [User]
        /// Which programs may ask.
        public var clients: [Client]
        /// Life of an access token.
        public var accessTokenLifetime: Int
        /// Life of an ID token.
        public var idTokenLifetime: Int
        /// Life of a refresh token, from its issue.
        public var refreshTokenLifetime: Int
        /// Life of an authorization code.
        public var codeLifetime: Int
        /// Life of a device code.
        public var deviceLifetime: Int
        /// Seconds between two polls for a device code; 0 for no limit.
        public var deviceInterval: Int
        /// Approves every request at once, as the user of `login_hint` or else the first, for scripts.
        public var autoApprove: Bool
        /// What happens to used refresh tokens.
        public var rotation: Rotation
        /// The grace of the graceful rotations, in seconds.
        public var rotationGrace: Int
        /// What ID tokens are signed with.
        public var signing: Signing
        /// By how many seconds the server's clock is ahead, in its `Date` fields and ID tokens.
        public var clockSkew: Int
        /// What it does to its clients; `nil`: nothing.
        public var attack: Attack?
        /// The issuer that an attack names, or leads to, in place of this server; on loopback.
        public var victim: String
        /// How it behaves under `/auth/v1`, as a Supabase project.
        public var supabase = Supabase()
        /// The Clerk dialect.
        public var clerk = Clerk()
        /// Its clock: seconds since 1970.
        public var now: @Sendable () -> Double
        /// Waits for some seconds, for delayed answers. Returns early when the task is cancelled.
        public var sleep: @Sendable (Double) async -> Void
        /// Told of each entry of the log as it is made: after the server acted, before its answer leaves or is held.
        public var report: @Sendable (Entry) -> Void

        /// The defaults: any port, scratch users and clients, access and ID tokens for 5 minutes, refresh tokens for
        /// 30 days, codes for 60 seconds, device codes for 10 minutes with 5 seconds between polls, strict rotation,
        /// RS256, a person asked, no attack; a Supabase project of its own defaults.
        public init(port: UInt16 = 0, autoApprove: Bool = false) {
            self.port = port
            users = User.scratch
            clients = Client.scratch
            accessTokenLifetime = 300
            idTokenLifetime = 300
            refreshTokenLifetime = 30 * 86_400
            codeLifetime = 60
            deviceLifetime = 600
            deviceInterval = 5
            self.autoApprove = autoApprove
            rotation = .strict
            rotationGrace = 10
            signing = .rs256
            clockSkew = 0
            victim = "http://127.0.0.1:9"
            now = SystemTime.now
            sleep = { seconds in try? await Task.sleep(for: .seconds(seconds)) }
            report = { _ in }
        }
    }

    /// Why a server did not start.
    @nonexhaustive
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// Something listens on this port already.
        case portTaken(UInt16)
        /// The configuration names no user, the same name twice, or a lifetime below 1.
        case configuration
        /// The system gave no socket or no key.
        case unavailable

        /// What is wrong, in words.
        public var description: String {
            switch self {
            case .portTaken(let port): "Port \(port) is taken."
            case .configuration: "The configuration has no users, a name twice, or a lifetime below one second."
            case .unavailable: "The server could not open its socket or make its keys."
            }
        }
    }
}

extension DevServer.Configuration {
    /// Lets codes of every client of the code grant, and links and visits of the Supabase project, lead to `redirect` too.
    /// Once the server runs, it reaches the project alone: clients stay as they were at the start.
    ///
    /// - Parameter redirect: The whole address, such as `http://localhost:8765`; its port counts, unless the host is
    ///   `127.0.0.1` or `[::1]`. In the project it may be a pattern, as in ``DevServer/Supabase/redirects``.
    public mutating func allow(redirect: String) {
        for index in clients.indices where clients[index].grants.contains(.authorizationCode) {
            clients[index].redirectURIs.append(redirect)
        }
        supabase.redirects.append(redirect)
    }

    /// Whether every value makes sense.
    var isValid: Bool {
        let lifetimes = [accessTokenLifetime, idTokenLifetime, refreshTokenLifetime, codeLifetime, deviceLifetime]
        return !users.isEmpty && Set(users.map(\.name)).count == users.count
            && Set(users.map(\.subject)).count == users.count && Set(clients.map(\.id)).count == clients.count
            && lifetimes.allSatisfy { $0 >= 1 && $0 < 1 << 40 } && (0..<3600).contains(deviceInterval)
            && (0..<(1 << 40)).contains(rotationGrace) && abs(clockSkew) < 1 << 40
            && supabase.isValid
            && (victim.wholeMatch(of: /http:\/\/127\.0\.0\.1:(\d{1,5})/)?.1).flatMap { UInt16($0) } != nil
    }
}

/// The clock of the system.
enum SystemTime {
    static let now: @Sendable () -> Double = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
