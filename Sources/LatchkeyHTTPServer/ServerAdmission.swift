/// What a server does with a connection.
package enum ServerAdmission: Hashable, Sendable {
    /// It is answered.
    case full
    /// Its one request reaches the handler with this mark (``ServerRequest/mark``), which says why it is not served.
    ///
    /// At most four such connections are open at once. Others end without a byte, so that strangers cannot take the
    /// places of those who are served.
    case marked(String)
    /// It ends without a byte.
    case none
}

/// A request that the server refuses by itself, because it breaks a rule or a limit.
package struct ServerRefusal: Sendable {
    /// The status of the answer: 400, 413, 414, 431 or 501.
    package var status: Int
    /// Path and query as in the request line; `nil` if they are not text.
    package var target: String?
    /// The header fields that could be read, in order.
    package var fields: [(name: String, value: String)]
    /// The mark of the connection; `nil` if it is served.
    package var mark: String?
}
