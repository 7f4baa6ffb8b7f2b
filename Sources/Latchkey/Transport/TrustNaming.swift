/// A transport that can say what decides whom its connections reach: the authorities that it trusts, the keys that it
/// demands, the proxy that it goes by.
///
/// What a service's documents said is kept between processes (``ServiceDocuments``) only for connections of the same
/// kind. So what was fetched once through a tracing proxy, with the proxy's own authority, is not used without it.
/// A wrapper passes on what the transport in it says. Without this protocol, all connections count as one kind.
public protocol TrustNaming: HTTPTransport {
    /// The same text for the same kind, and another one for every other. It is stored in plain text: no password of a
    /// proxy may be in it.
    var trust: String { get }
}
