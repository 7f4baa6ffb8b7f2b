import Latchkey
import LatchkeyEncryptedStore
import LatchkeyFileStore
import LatchkeySecretService

/// The stores of one profile: the one with its session, and the other possible ones.
struct Places: Sendable {
    let invocation: Invocation
    let profile: Profile
    let place: SessionPlace
    /// The profile's directory.
    let directory: String

    init(_ invocation: Invocation, _ profile: Profile, at place: SessionPlace? = nil) throws {
        self.invocation = invocation
        self.profile = profile
        self.place = place ?? profile.place ?? .file
        directory = try Composition.directory(for: profile, in: invocation)
        invocation.profileInUse.note(profile.name)
    }

    /// Returns the report on the place. Checks whether it is open only if that asks nobody.
    func report() async -> PlaceReport {
        switch place {
        case .encrypted:
            PlaceReport(
                place: place, path: "\(vaultDirectory)/vault.lkv", isOpen: await vault().isOpenForEverybody())
        default: PlaceReport(place: place, path: directory)
        }
    }

    /// Returns the store. Nothing is touched before its first call.
    ///
    /// - Parameter asking: Whether the person may be asked to unlock it, or for a new passphrase if there is none
    ///   yet. If not, it throws `locked`.
    func store(asking: Bool = true) throws -> any CrossProcessStore {
        switch place {
        case .file: return FileStore(unencryptedAt: directory, context: invocation.world)
        case .keyring:
            return SecretServiceStore(
                SecretServiceKeyring(application: "latchkey-\(profile.name)", context: invocation.world),
                locksIn: "\(directory)/keyring")
        case .encrypted: return AskingVault(vault(), asking: asking)
        case .unknown(let name):
            throw ToolError(
                .store(.newerVersion), "error.placeUnknown", ["profile": profile.name, "place": name])
        }
    }

    /// Returns the encrypted file.
    func vault() -> ProfileVault { ProfileVault(invocation, profile, at: vaultDirectory, limits: directory) }

    private var vaultDirectory: String { "\(directory)/vault" }

    /// Whether there is no session. A session that cannot be read counts.
    func isEmpty() async throws -> Bool {
        if place == .encrypted { return !(try await vault().isThere()) }
        do {
            return try await store().keys(.credential).isEmpty
        } catch let error as AuthError where place == .keyring && error.code == .store(.unavailable) {
            return false
        } catch let error as AuthError where error.code == .store(.damaged) {
            return false
        }
    }

    /// Writes a record, reads it, and removes it, so that nobody signs in for a session that cannot be kept.
    static func tryOut(_ store: any SessionStore, in world: PluginContext) async throws {
        let key = StoreKey(.settings, "trial-\(world.randomName(bytes: 8))")
        let bytes = world.random(32)
        let version = try await store.replace(key, at: nil, with: bytes)
        let found = try await store.read(key)
        try await store.replace(key, at: version, with: nil)
        guard found?.bytes == bytes else {
            throw ToolError(.store(.notDurable), "error.trial")
        }
    }
}
