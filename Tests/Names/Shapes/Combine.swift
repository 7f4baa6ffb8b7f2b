// Declarations in the shape of Combine's, as far as Beside.swift uses them.

/// In the shape of Combine's.
public protocol ObservableObject: AnyObject {}

/// In the shape of Combine's.
@propertyWrapper public struct Published<Value> {
    /// The value itself.
    public var wrappedValue: Value
    /// Keeps a value.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}
