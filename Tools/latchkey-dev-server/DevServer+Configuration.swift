import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension DevServer {
    /// What happens to a refresh token once it was used, and to its family if it is used again.
    public enum Rotation: String, Hashable, Sendable, CaseIterable {
        /// Each use gives a new token. Using an old one revokes the family, access tokens included.
        case strict
        /// As `strict`, but within the grace period an old token gives the same successor again, while that is
        /// unused.
        case graceSameSuccessor
        /// As `strict`, but within the grace period an old token gives another successor.
        case graceNewSuccessor
        /// Refresh tokens do not change; answers bring none.
        case none
    }

    /// The algorithm that signs ID tokens.
    public enum Signing: String, Hashable, Sendable, CaseIterable {
        /// RSA with 2048 bits, which every client supports.
        case rs256 = "RS256"
        /// ECDSA on P-256.
        case es256 = "ES256"
        /// Ed25519.
        case edDSA = "EdDSA"
    }

    /// The settings of the server. Lifetimes are in seconds, at least 1.
    public struct Configuration: Sendable {
        /// The port on 127.0.0.1; 0 for any free one.
        public var port: UInt16
        /// The accounts.
        public var users: [User]
        /// The registered clients.
        public var clients: [Client]
        /// The lifetime of an access token.
        public var accessTokenLifetime: Int
        /// The lifetime of an ID token.
        public var idTokenLifetime: Int
        /// The lifetime of a refresh token, from its issue.
        public var refreshTokenLifetime: Int
        /// Whether answers say how long the refresh token lasts (`refresh_expires_in`, as Keycloak's do).
        public var tellsRefreshTokenLifetime = false
        /// The lifetime of an authorization code.
        public var codeLifetime: Int
        /// The lifetime of a device code.
        public var deviceLifetime: Int
        /// The seconds between two polls for a device code; 0 for no limit.
        public var deviceInterval: Int
        /// Whether to approve every request at once, as the user in `login_hint` or else the first one. For
        /// scripts.
        public var autoApprove: Bool
        /// What happens to used refresh tokens.
        public var rotation: Rotation
        /// The grace period of the graceful rotations, in seconds.
        public var rotationGrace: Int
        /// The algorithm that signs ID tokens.
        public var signing: Signing
        /// Whether the userinfo endpoint signs its claims (OpenID Connect Core section 5.3.2).
        public var signsUserInfo = false
        /// How many seconds the server's clock is ahead, in its `Date` fields and ID tokens.
        public var clockSkew: Int
        /// The attack on the server's clients; `nil` for none.
        public var attack: Attack?
        /// The issuer that an attack names or leads to instead of this server. Must be on loopback.
        public var victim: String
        /// The settings under `/auth/v1`, where the server is a Supabase project.
        public var supabase = Supabase()
        /// The settings under `/clerk`, where the server follows Clerk's Frontend API.
        public var clerk = Clerk()
        /// The server's clock: seconds since 1970.
        public var now: @Sendable () -> Double
        /// Waits for some seconds, for delayed answers. Returns early if the task is cancelled.
        public var sleep: @Sendable (Double) async -> Void
        /// Called for each new entry of the log: after the server acted, before its answer is sent or held.
        public var report: @Sendable (Entry) -> Void

        /// Creates the default settings: any port, the scratch users and clients, access and ID tokens for 5
        /// minutes, refresh tokens for 30 days, codes for 60 seconds, device codes for 10 minutes with 5 seconds
        /// between polls, strict rotation, RS256, a person asked, no attack; a Supabase project with its own
        /// defaults.
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
        /// The port is taken already.
        case portTaken(UInt16)
        /// The configuration has no user, the same name twice, or a lifetime below 1.
        case configuration
        /// The system provided no socket or no key.
        case unavailable
        /// libmicrohttpd is not installed.
        case libraryMissing
        /// libcrypto is not installed.
        case cryptoMissing

        /// The failure in words.
        public var description: String {
            switch self {
            case .portTaken(let port): "Port \(port) is taken."
            case .configuration: "The configuration has no users, a name twice, or a lifetime below one second."
            case .unavailable: "The server could not open its socket or make its keys."
            case .libraryMissing: HTTPServerError.libraryMissing.description
            case .cryptoMissing: CryptoLibrary.missing?.description ?? "libcrypto is not installed."
            }
        }
    }
}

extension DevServer.Configuration {
    /// Also allows redirects to `redirect`: for codes of every client that has the code grant, for links and visits of
    /// the Supabase project, and for those of the Clerk instance. On a running server this affects only the project and
    /// the instance; clients stay as they were at the start.
    ///
    /// - Parameter redirect: The whole address, such as `http://localhost:8765`. Its port must match, unless the
    ///   host is `127.0.0.1` or `[::1]`. For the project it may be a pattern, as in
    ///   ``DevServer/Supabase/redirects``.
    public mutating func allow(redirect: String) {
        for index in clients.indices where clients[index].grants.contains(.authorizationCode) {
            clients[index].redirectURIs.append(redirect)
        }
        supabase.redirects.append(redirect)
        clerk.redirects.insert(redirect)
    }

    /// Whether every value is valid.
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

/// The system's clock.
enum SystemTime {
    static let now: @Sendable () -> Double = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
