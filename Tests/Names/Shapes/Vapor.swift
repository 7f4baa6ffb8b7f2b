// Declarations in the shape of Vapor's, as far as Beside.swift uses them.

/// In the shape of Vapor's.
public final class Session {
    /// What is kept of the visitor.
    public var data: [String: String] = [:]
    /// A new session.
    public init() {}
}

/// In the shape of Vapor's.
public final class Request {
    /// The visitor's session.
    public let session = Session()
    /// A request of no visitor.
    public init() {}
}

/// In the shape of Vapor's.
public final class Response {
    /// A response of this body.
    public init(body: String) {}
}
