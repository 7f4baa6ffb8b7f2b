extension TransportError {
    /// One sentence that names the host and the cause, as far as they are known.
    public var message: String {
        let (host, place) = (origin ?? "The service", origin ?? "the service")
        switch (code, cause) {
        case (_, .connectionRefused): return "\(host) refuses connections: nothing listens there."
        case (_, .noSuchHost):
            return "\(host) cannot be reached: there is no such host, as far as this machine can tell."
        case (_, .noRoute): return "\(host) cannot be reached: no network leads there."
        case (_, .proxy): return "\(host) cannot be reached: the proxy cannot be found or refuses."
        case (_, .notTLS): return "\(host) does not speak TLS."
        case (_, .certificateExpired):
            return "The certificate of \(host) has expired, or this machine's clock is wrong."
        case (_, .certificateNotYetValid):
            return "The certificate of \(host) is not valid yet, or this machine's clock is wrong."
        case (_, .certificateForAnotherHost): return "The certificate of \(host) is for another host."
        case (_, .certificateUntrusted):
            return "The certificate of \(host) is signed by no authority that this machine trusts."
        case (.unreachable, nil): return "\(host) cannot be reached."
        case (.timedOut, nil): return "\(host) did not answer in time."
        case (.interrupted, nil): return "The connection to \(place) broke."
        case (.tooLarge, nil): return "The answer of \(place) is too large."
        case (.tls, nil): return "TLS could not establish that \(place) is who answers."
        case (.pinMismatch, nil):
            return "The key of \(place) is not one of those pinned for it: if the service has changed its"
                + " key, update the pins, and otherwise somebody may be in between."
        case (.libraryMissing, nil):
            return "The library that sends requests is not installed: libcurl.so.4, of the Debian package libcurl4."
        case (.invalidRequest, nil): return "The request's address or a header is malformed."
        }
    }
}
