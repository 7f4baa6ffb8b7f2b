extension TransportRequest {
    /// How often a transport may write a request, and on which connection.
    ///
    /// Services close kept connections, sometimes while a request is on its way. Then nobody knows
    /// whether it arrived: writing it again may make the service act twice, and not writing it
    /// again fails the call.
    ///
    /// | Request | By default |
    /// | --- | --- |
    /// | `GET`, `HEAD`, `OPTIONS`, `TRACE`; `PUT` and `DELETE` without a precondition | ``twice`` |
    /// | any other, and one whose ``TransportRequest/mayBeRepeated`` is `false` | ``onceOnNewConnection`` |
    /// | the same through ``AuthClient/authorized(_:origins:audience:account:originClass:)`` | ``once`` |
    @nonexhaustive
    public enum Writing: Sendable, Hashable {
        /// As the table says: the method decides, by [RFC 9110, section
        /// 9.2.2](https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2).
        case byMethod
        /// Over a kept connection, and again over another one if that turns out to be dead. For a
        /// `POST`, choose it only if the service recognises a repetition, for example by an
        /// `Idempotency-Key`.
        case twice
        /// Once, over a kept connection if there is one. If the connection ends before the answer,
        /// the call fails with ``TransportError/Code/interrupted``, and its
        /// ``TransportError/wasSent`` is `true`: ask the service what became of the request before
        /// you send another. `CurlTransport` gives a request without content a new connection.
        case once
        /// Once, over a connection that no other request has used. This costs a handshake, and
        /// saves the call from failing because a kept connection was dead. For requests that spend
        /// a credential, such as a refresh.
        case onceOnNewConnection
    }

    /// Whether a transport may write the request a second time by itself: ``writing`` decides, or
    /// the method if ``writing`` leaves it open. Never if ``mayBeRepeated`` is `false`.
    public var mayBeWrittenTwice: Bool {
        guard mayBeRepeated else { return false }
        switch writing {
        case .byMethod: return isIdempotent
        case .twice: return true
        case .once, .onceOnNewConnection: return false
        }
    }

    /// A `PUT` or `DELETE` with a precondition is not idempotent here: if the first one succeeded,
    /// the answer to the second one, 412, would say the opposite.
    private var isIdempotent: Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE": true
        case "PUT", "DELETE":
            ["If-Match", "If-None-Match", "If-Unmodified-Since"].allSatisfy { fields[$0] == nil }
        default: false
        }
    }
}
