public import FoundationEssentials
public import Latchkey

/// A key of 32 bytes in a variable of the environment, as base64 or 64 hexadecimal digits: for services that are given
/// nothing else. Programs of the same user can read the environment of this one; a file is better.
public struct EnvironmentKeyHolder: KeyHolder {
    /// `environment`.
    public let source = "environment"
    private let values: [String: Secret]

    /// A holder of the variables; the key's name is the variable's.
    public init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        values = environment.mapValues { Secret($0) }
    }

    /// It can always be asked.
    public func availability() -> UnlockAvailability { .available }

    /// The key in the variable `name`; `nil` where it is not set, or is empty.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.damaged)` where it holds something else.
    public func key(_ name: String) throws -> Secret? {
        guard let value = values[name], !value.isEmpty else { return nil }
        return try KeyText.key(in: value.reveal(), of: "the variable \(name)")
    }

    /// Refuses: who starts this process sets its environment.
    public func keep(_ key: Secret, under name: String) throws {
        throw AuthError(.configuration(.unsupported), "a variable of the environment is set by who starts this program")
    }

    /// Refuses, where the variable is set.
    public func remove(_ name: String) throws {
        guard values[name] != nil else { return }
        throw AuthError(.configuration(.unsupported), "a variable of the environment is set by who starts this program")
    }
}
