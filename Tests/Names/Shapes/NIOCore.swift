// Declarations in the shape of swift-nio's, as far as Beside.swift uses them.

/// In the shape of swift-nio's.
public protocol Channel: AnyObject, Sendable {
    /// Whether it can be written to.
    var isWritable: Bool { get }
}
