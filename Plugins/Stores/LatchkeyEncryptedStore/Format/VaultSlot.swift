/// One of the ways to a vault's key: a passphrase, a recovery code, a key that a holder keeps.
public struct VaultSlot: Hashable, Sendable {
    /// What opens it.
    @nonexhaustive
    public enum Kind: Hashable, Sendable {
        /// A passphrase, stretched by scrypt (RFC 7914).
        case passphrase(ScryptCost)
        /// A passphrase, stretched by PBKDF2 with HMAC-SHA256 (RFC 8018): read, never written.
        case stretched(rounds: UInt32)
        /// 32 bytes that a ``/Latchkey/KeyHolder`` keeps under a name.
        case key(source: String, name: String)
        /// A code that was printed once.
        case recoveryCode
        /// Something that this version does not know, or the parameters of which it does not take. It is kept as it is.
        case unknown(type: UInt8)
    }

    /// Which slot of the vault it is; unique in it.
    public let index: UInt16
    /// What opens it.
    public let kind: Kind
    let type: UInt8
    let flags: UInt8
    let parameters: [UInt8]
    let salt: [UInt8]
    let commitment: [UInt8]
    let wrapped: [UInt8]

    /// Whether it outlives the machine that the vault is on: a person has it.
    public var survivesMachine: Bool {
        switch kind {
        case .passphrase, .stretched, .recoveryCode: true
        case .key, .unknown: false
        }
    }
}

/// What stretching a passphrase costs whoever tries one: scrypt's parameters.
public struct ScryptCost: Hashable, Sendable {
    /// The exponent of N. 17, the default, takes 128 MiB and a third of a second on the machines of 2024.
    public var logN: UInt8
    /// r; always 8 in what is written.
    public var blockSize: UInt8
    /// p: 1 to 4.
    public var parallelization: UInt8

    /// A cost.
    public init(logN: UInt8, blockSize: UInt8 = 8, parallelization: UInt8 = 1) {
        self.logN = logN
        self.blockSize = blockSize
        self.parallelization = parallelization
    }

    /// What new slots are written with.
    public static let standard = ScryptCost(logN: 17)
    /// The least that is written: 32 MiB.
    public static let least = ScryptCost(logN: 15)

    /// The memory that it takes, in bytes.
    public var memory: Int { (128 * Int(blockSize)) << Int(logN) }

    /// What a vault from elsewhere may ask for before anything is allocated: up to 1 GiB.
    func isTaken(from floor: UInt8) -> Bool {
        (floor...20).contains(logN) && blockSize == 8 && (1...4).contains(parallelization)
    }
}
