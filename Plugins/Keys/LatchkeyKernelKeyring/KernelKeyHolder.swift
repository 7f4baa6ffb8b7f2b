public import Latchkey

/// Keeps keys in the kernel's memory. They are gone after a restart, or after a time that you set. Use it to cache
/// an unlock, so that several commands in a row ask once, and never as the only place of a key.
///
/// The cases of ``KernelKeyring`` apply here.
public struct KernelKeyHolder: KeyHolder {
    /// `kernel-keyring`.
    public let source = "kernel-keyring"
    /// The keyring that has the keys.
    public let keyring: KernelKeyring

    /// Creates a holder over `keyring`.
    public init(_ keyring: KernelKeyring) { self.keyring = keyring }

    /// Creates a holder of the keys of `application`, such as `com.example.notes`.
    public init(application: String, place: KernelKeyring.Place = .user, timeToLive: Duration? = nil) {
        self.init(KernelKeyring(application: application, place: place, timeToLive: timeToLive))
    }

    /// Returns whether the kernel can be asked.
    public func availability() async -> UnlockAvailability { keyring.availability() }

    /// Returns the key under `name`; `nil` if there is none, or it has expired.
    public func key(_ name: String) async throws -> Secret? { try keyring.value(name) }

    /// Keeps `key`, of 1 to 64 bytes, and reads it back.
    public func keep(_ key: Secret, under name: String) async throws {
        try keyring.set(key, under: name)
        guard try keyring.value(name) == key else {
            throw AuthError(.store(.notDurable), "the kernel keyring did not keep the key")
        }
    }

    /// Removes the key.
    public func remove(_ name: String) async throws { try keyring.remove(name) }
}
