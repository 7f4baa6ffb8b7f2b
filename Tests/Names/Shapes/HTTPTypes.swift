// Declarations in the shape of swift-http-types', as far as Beside.swift uses them.

/// In the shape of swift-http-types'.
public struct HTTPFields: Sendable {
    /// No fields.
    public init() {}
}

/// In the shape of swift-http-types'.
public struct HTTPRequest: Sendable {
    /// The request's fields.
    public var headerFields = HTTPFields()
    /// A request for a path of a server.
    public init(method: String, scheme: String?, authority: String?, path: String?) {}
}

/// In the shape of swift-http-types'.
public struct HTTPResponse: Sendable {
    /// The response's fields.
    public var headerFields = HTTPFields()
    /// A response.
    public init(status: Int) {}
}
