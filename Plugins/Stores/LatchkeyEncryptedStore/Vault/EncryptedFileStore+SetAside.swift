import FoundationEssentials
import Latchkey
import LatchkeyPluginKit

/// Vaults that were set aside. What opened them still opens those that were whole, such as one that a restore replaced.
extension EncryptedFileStore {
    /// The most that are kept: the newest ones. The next one that is set aside removes the others.
    public static let mostSetAside = 3
    /// How long one is kept, in seconds: 30 days. The next one that is set aside removes those that are older.
    public static let longestSetAside = 30.0 * 86_400

    /// Returns the paths of the vaults that were set aside, also where there is no vault now.
    public func setAsideFiles() throws -> [String] {
        guard let place = try opened() else { return [] }
        return try setAside(in: place).map(path)
    }

    /// Removes the vaults that were set aside. Returns how many.
    @discardableResult
    public func removeSetAside() async throws -> Int {
        guard let place = try opened(), try !setAside(in: place).isEmpty else { return 0 }
        return try await commits.run(in: place, making: made) { place, _ in
            let found = try setAside(in: place)
            for name in found { try disk(.write, at: path(name)) { try place.files.remove(name) } }
            try syncNames(in: place)
            return found.count
        }
    }

    /// Removes what is too old, and what is more than is kept.
    func pruneSetAside(in place: TrustedDirectory) throws {
        let found = try setAside(in: place)
        let oldest = Int64((context.clock.wall().timeIntervalSince1970 - Self.longestSetAside) * 1_000)
        for (index, name) in found.enumerated()
        where VaultNames.time(ofSetAside: name) < oldest || index < found.count - Self.mostSetAside {
            try disk(.write, at: path(name)) { try place.files.remove(name) }
        }
    }

    private func setAside(in place: TrustedDirectory) throws -> [String] {
        try disk(.read, at: directory) { try place.files.list(".") }.filter(VaultNames.isSetAside).sorted {
            (VaultNames.time(ofSetAside: $0), $0) < (VaultNames.time(ofSetAside: $1), $1)
        }
    }
}
