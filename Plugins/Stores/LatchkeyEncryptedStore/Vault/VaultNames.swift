import Latchkey
import LatchkeyCrypto

/// The names of the files beside a vault.
enum VaultNames {
    /// The name of a lock's lock file: 16 hexadecimal digits of a hash, so that a listing of the directory shows no
    /// account.
    static func lock(of key: StoreKey) -> String {
        let digest = Checksum.sha256(Array("\(key.kind.rawValue)/\(key.name)".utf8))
        return "refresh-" + VaultID(Array(digest.prefix(8))).description + ".lock"
    }

    static func temporary(_ random: String) -> String { ".vault.\(random).tmp" }

    static func isTemporary(_ name: String) -> Bool { name.hasPrefix(".vault.") && name.hasSuffix(".tmp") }

    /// The file that has room for the next vault with a change of the record of `key`.
    static func room(of key: StoreKey) -> String { ".vault.\(lock(of: key)).room" }

    static func isRoom(_ name: String) -> Bool { name.hasPrefix(".vault.") && name.hasSuffix(".room") }

    private static let aside = "\(EncryptedFileStore.vaultName).corrupt-"

    /// The name of a vault that was set aside because it cannot be read, or was replaced.
    static func quarantine(_ milliseconds: Int64) -> String { "\(aside)\(milliseconds)" }

    static func isSetAside(_ name: String) -> Bool { name.hasPrefix(aside) }

    /// When a vault was set aside, in milliseconds since 1970; 0 if its name does not say.
    static func time(ofSetAside name: String) -> Int64 { Int64(name.dropFirst(aside.count)) ?? 0 }
}
