// Declarations in the shape of SwiftUI's, as far as Beside.swift uses them.

/// In the shape of SwiftUI's.
public protocol View {}

/// In the shape of SwiftUI's.
public struct Text: View {
    /// Shows nothing.
    public init(_ content: String) {}
}

/// In the shape of SwiftUI's.
@propertyWrapper public struct State<Value> {
    /// The value itself.
    public var wrappedValue: Value
    /// Keeps a value.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    /// What reads and writes the value.
    public var projectedValue: Binding<Value> { Binding(wrappedValue: wrappedValue) }
}

/// In the shape of SwiftUI's.
@propertyWrapper public struct Binding<Value> {
    /// The value itself.
    public var wrappedValue: Value
    /// Keeps a value.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

/// In the shape of SwiftUI's.
@propertyWrapper public struct Bindable<Value: AnyObject> {
    /// The object itself.
    public var wrappedValue: Value
    /// Keeps an object.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

/// In the shape of SwiftUI's.
@propertyWrapper public struct AppStorage<Value> {
    /// The value itself.
    public var wrappedValue: Value
    /// Keeps a value under a key.
    public init(wrappedValue: Value, _ key: String) { self.wrappedValue = wrappedValue }
}

/// In the shape of SwiftUI's.
public struct EnvironmentValues {
    /// Whether the view is enabled.
    public var isEnabled = true
}

/// In the shape of SwiftUI's.
@propertyWrapper public struct Environment<Value> {
    /// The value itself.
    public var wrappedValue: Value
    /// The value at a key path.
    public init(_ path: KeyPath<EnvironmentValues, Value>) { wrappedValue = EnvironmentValues()[keyPath: path] }
}
