// Declarations in the shape of swift-log's, as far as Beside.swift uses them.

/// In the shape of swift-log's.
public struct Logger: Sendable {
    /// A logger of that name.
    public init(label: String) {}
    /// Writes nothing.
    public func info(_ message: String) {}
}
