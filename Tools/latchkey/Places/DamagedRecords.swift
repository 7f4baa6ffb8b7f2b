import Latchkey
import LatchkeyEncryptedStore
import LatchkeyFileStore

/// The files of a profile that cannot be read as records, and those that were set aside.
enum DamagedRecords {
    /// Moves them out of the way, so that their accounts can be signed in again. Deletes nothing.
    ///
    /// - Returns: The new paths, each with the old one.
    static func setAside(_ places: Places) async throws -> [(old: String, new: String)] {
        guard places.place == .file else { return [] }
        let store = FileStore(unencryptedAt: places.directory, context: places.invocation.world)
        var moved: [(String, String)] = []
        for file in try store.damagedFiles() {
            do {
                let aside = try await store.setDamagedAside(file: file)
                moved.append(("\(places.directory)/\(file)", "\(places.directory)/\(aside)"))
            } catch let error as AuthError where error.code == .configuration(.invalid) {
                // Another process has moved it meanwhile.
            }
        }
        return moved
    }

    /// Signs out at the service what can still be read of the records that were set aside: their tokens may be valid.
    /// Call it after everybody has signed out.
    ///
    /// - Parameter client: Makes the profile's client over another store.
    /// - Returns: How many sessions the service was told of, and how many it does not know of.
    static func signOut(
        _ places: Places, _ client: (any CrossProcessStore) throws -> AuthClient
    ) async throws -> (told: Int, untold: Int) {
        let world = places.invocation.world
        let remains = try FileStore(unencryptedAt: places.directory, context: world).remainsSetAside()
        var (told, untold) = (0, 0)
        for (key, bytes) in remains where key.kind == .credential {
            let store = MemoryStore(context: world)
            try store.replace(key, at: nil, with: bytes)
            let client = try client(store)
            do throws(AuthError) {
                for account in try await client.accounts() {
                    if try await client.signOut(of: account.id) == .revoked { told += 1 } else { untold += 1 }
                }
            } catch {
                // Nothing of it can be read.
                if error.code == .cancelled { throw error }
            }
            await client.finish()
        }
        return (told, untold)
    }

    /// Removes what was set aside at `places`, in every kind of place: the session may have been elsewhere before.
    ///
    /// - Parameter ofAbsent: Whether to keep records whose account is signed in again, and encrypted files while an
    ///   account is signed in.
    static func remove(_ places: Places, ofAbsent: Bool = false) async throws {
        try await FileStore(unencryptedAt: places.directory, context: places.invocation.world)
            .removeSetAside(ofAbsent: ofAbsent)
        if ofAbsent { guard try await places.isEmpty() else { return } }
        try await places.vault().store().removeSetAside()
    }
}
