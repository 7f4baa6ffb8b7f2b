import LatchkeyEncryptedStore
import LatchkeyJSON

/// A way to open the encrypted file, as `store status` shows it.
extension VaultSlot {
    /// Returns the text for a person.
    func words(_ texts: ToolTexts) -> String {
        switch kind {
        case .passphrase(let cost): texts("store.slot.passphrase", ["cost": "\(cost.logN)"])
        case .stretched(let rounds): texts("store.slot.stretched", ["rounds": "\(rounds)"])
        case .key(let source, let name): texts("store.slot.key", ["source": source, "name": name])
        case .recoveryCode: texts("store.slot.recovery")
        case .unknown(let type): texts("store.slot.newerType", ["type": "\(type)"])
        @unknown default: texts("store.slot.newer")
        }
    }

    /// The object for programs: `index`, `kind`, and for a key `source` and `name`.
    var json: JSON {
        var members: [String: JSON] = ["index": .integer(Int64(index))]
        switch kind {
        case .passphrase, .stretched: members["kind"] = "passphrase"
        case .key(let source, let name):
            members["kind"] = "key"
            members["source"] = .string(source)
            members["name"] = .string(name)
        case .recoveryCode: members["kind"] = "recoveryCode"
        default: members["kind"] = "unknown"
        }
        return .object(members)
    }
}
