import Latchkey

/// The settings that all requests of a transport share.
struct CurlSettings: Sendable {
    var caFile: String?
    /// The proxy to use instead of the environment's.
    var proxy: String?
    var sizeCap = 1 << 20
    /// The `User-Agent` of requests that have none of their own.
    var userAgent = UserAgent.latchkey
    var connectionsPerHost = 64
    /// How long finding a host, connecting to it and the handshake may take, a proxy's included. Requests that may not
    /// be given up once they are sent have long deadlines, and a network that drops every packet is told sooner. Two
    /// name servers that are down cost ten seconds of it.
    var connectLimit = Duration.seconds(20)
    /// The keys of servers that are known before.
    var pins = PinnedHosts.none
    /// Is told of keys that are not pinned.
    var observer: any AuthObserver = SilentObserver()

    /// The most bytes of an answer's header lines.
    static let headCap = 256 << 10
    static let linesCap = 1000
    /// The most requests that wait for the thread or a connection.
    static let queueCap = 16_384
    /// The most idle handles and connections that are kept.
    static let poolCap = 64
    /// The most requests under way at once, to all hosts.
    static let connectionsCap = 512
}
