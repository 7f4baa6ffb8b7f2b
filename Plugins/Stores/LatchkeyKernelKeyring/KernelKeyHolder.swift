public import Latchkey

/// Keys in the kernel's memory: gone after a restart, and after a time where one is set. As a cache of an unlock, so that
/// commands in a row ask once; not as the only place of a key.
///
/// What ``KernelKeyring`` says of its cases holds here.
public struct KernelKeyHolder: KeyHolder {
    /// `kernel-keyring`.
    public let source = "kernel-keyring"
    /// Where the keys are.
    public let keyring: KernelKeyring

    /// A holder over `keyring`.
    public init(_ keyring: KernelKeyring) { self.keyring = keyring }

    /// The keys of `application`, such as `com.example.notes`.
    public init(application: String, place: KernelKeyring.Place = .user, timeToLive: Duration? = nil) {
        self.init(KernelKeyring(application: application, place: place, timeToLive: timeToLive))
    }

    /// Whether the kernel can be asked.
    public func availability() async -> UnlockAvailability { keyring.availability() }

    /// The key under `name`; `nil`: none, or past its time.
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
