/// Keeps keys under names: a keyring, a file of a server, the environment.
///
/// | Case | Required behaviour |
/// | --- | --- |
/// | Nothing under the name | `nil` |
/// | The holder is locked | throws ``AuthError`` `locked`; never `nil` |
/// | It is not there, or does not answer within two seconds | throws `store(.unavailable)`; never `nil` |
/// | `keep` returned | the key is there for the next process, as long as the holder says that keys last |
public protocol KeyHolder: Sendable {
    /// What it is, for ever: a store writes this name beside what the key opens. 1 to 64 letters, digits, dots and hyphens,
    /// such as `secret-service`.
    var source: String { get }

    /// Whether it can be asked now. Never prompts.
    func availability() async -> UnlockAvailability

    /// The key under `name`.
    func key(_ name: String) async throws -> Secret?

    /// Keeps `key` under `name`, in place of what was there.
    ///
    /// - Throws: ``AuthError`` `locked`, `store`; `configuration(.unsupported)` where nothing can be kept.
    func keep(_ key: Secret, under name: String) async throws

    /// Removes the key; absent is fine.
    func remove(_ name: String) async throws
}
