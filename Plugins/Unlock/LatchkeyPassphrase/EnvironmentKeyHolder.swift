public import FoundationEssentials
public import Latchkey

/// Reads a key of 32 bytes from an environment variable, as base64 or 64 hexadecimal digits. For services that
/// cannot be given a file. A file is better: programs of the same user can read this process's environment.
public struct EnvironmentKeyHolder: KeyHolder {
    /// `environment`.
    public let source = "environment"
    private let values: [String: Secret]

    /// Creates a holder of the variables. A key's name is the variable's name.
    public init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        values = environment.mapValues { Secret($0) }
    }

    /// Returns `available`.
    public func availability() -> UnlockAvailability { .available }

    /// Returns the key in the variable `name`; `nil` if the variable is not set or is empty.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.damaged)` if the variable holds anything else.
    public func key(_ name: String) throws -> Secret? {
        guard let value = values[name], !value.isEmpty else { return nil }
        return try KeyText.key(in: value.reveal(), of: "the variable \(name)")
    }

    /// Throws: the environment is set by the program that starts this process.
    public func keep(_ key: Secret, under name: String) throws {
        throw AuthError(.configuration(.unsupported), "a variable of the environment is set by who starts this program")
    }

    /// Throws if the variable is set.
    public func remove(_ name: String) throws {
        guard values[name] != nil else { return }
        throw AuthError(.configuration(.unsupported), "a variable of the environment is set by who starts this program")
    }
}
