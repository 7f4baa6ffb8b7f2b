/// Keeps keys under names: a keyring, a file on a server, the environment.
///
/// | Case | Required behaviour |
/// | --- | --- |
/// | Nothing under the name | `nil` |
/// | The holder is locked | throws ``AuthError`` `locked`; never `nil` |
/// | The holder is missing, or does not answer within two seconds | throws `store(.unavailable)`; never `nil` |
/// | `keep` returned | the key is there for the next process, for as long as the holder says that keys last |
public protocol KeyHolder: Sendable {
    /// The holder's permanent name, which a store writes beside what the key opens. 1 to 64
    /// letters, digits, dots and hyphens, such as `secret-service`.
    var source: String { get }

    /// Returns whether the holder can be asked now. Never prompts.
    func availability() async -> UnlockAvailability

    /// Returns the key under `name`.
    func key(_ name: String) async throws -> Secret?

    /// Keeps `key` under `name`, replacing any key there.
    ///
    /// - Throws: ``AuthError`` `locked`, `store`; `configuration(.unsupported)` if the holder cannot keep keys.
    func keep(_ key: Secret, under name: String) async throws

    /// Removes the key. Succeeds if it is absent.
    func remove(_ name: String) async throws
}
