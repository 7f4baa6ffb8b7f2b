/// The name of this machine in the address of a loopback redirect.
public enum LoopbackHost: String, CaseIterable, Hashable, Sendable {
    /// `127.0.0.1`, the safest: no name service and no browser's rule for a name can lead it elsewhere (RFC 8252,
    /// section 8.3). The default.
    case ipv4 = "127.0.0.1"
    /// `[::1]`, for a machine without IPv4.
    case ipv6 = "[::1]"
    /// `localhost`, for services that register no other, such as Microsoft Entra's portal. It is listened on at
    /// 127.0.0.1 and ::1, so that no other program gets what a browser sends to one of them.
    ///
    /// A browser that once got a `Strict-Transport-Security` field from any server at `https://localhost` asks for
    /// https there from then on, and does not reach the listener. Until that is deleted in the browser, take `ipv4`.
    case localhost

    /// The addresses to listen at.
    var addresses: [String] {
        switch self {
        case .ipv4: ["127.0.0.1"]
        case .ipv6: ["::1"]
        case .localhost: ["127.0.0.1", "::1"]
        }
    }
}
