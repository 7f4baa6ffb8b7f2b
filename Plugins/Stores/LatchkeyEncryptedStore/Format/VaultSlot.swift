/// One way to open a vault: a passphrase, a recovery code, or a key that a key holder keeps.
public struct VaultSlot: Hashable, Sendable {
    /// The kind of key that opens the slot.
    @nonexhaustive
    public enum Kind: Hashable, Sendable {
        /// A passphrase, stretched by scrypt (RFC 7914).
        case passphrase(ScryptCost)
        /// A passphrase, stretched by PBKDF2 with HMAC-SHA256 (RFC 8018). Such slots are read, but never written.
        case stretched(rounds: UInt32)
        /// 32 bytes that a ``/Latchkey/KeyHolder`` keeps under a name.
        case key(source: String, name: String)
        /// A recovery code, which the person has printed or written down.
        case recoveryCode
        /// A kind, or parameters, that this version does not support. The slot is kept unchanged.
        case unknown(type: UInt8)
    }

    /// The slot's index, unique in its vault.
    public let index: UInt16
    /// The kind of key that opens the slot.
    public let kind: Kind
    let type: UInt8
    let flags: UInt8
    let parameters: [UInt8]
    let salt: [UInt8]
    let commitment: [UInt8]
    let wrapped: [UInt8]

    /// What a try at the slot costs, as ``ScryptCost/work``; 0 if nothing is stretched.
    var work: Int { if case .passphrase(let cost) = kind { cost.work } else { 0 } }

    /// Whether the slot can be opened without this machine, because a person has the passphrase or code.
    public var survivesMachine: Bool {
        switch kind {
        case .passphrase, .stretched, .recoveryCode: true
        case .key, .unknown: false
        }
    }
}

/// The cost of each try at a passphrase: the parameters of scrypt.
public struct ScryptCost: Hashable, Sendable {
    /// The exponent of N. 17, the default, takes 128 MiB and a third of a second on the machines of 2024.
    public var logN: UInt8
    /// The parameter r; always 8 in new slots.
    public var blockSize: UInt8
    /// The parameter p, 1 to 4.
    public var parallelization: UInt8

    /// Creates a cost.
    public init(logN: UInt8, blockSize: UInt8 = 8, parallelization: UInt8 = 1) {
        self.logN = logN
        self.blockSize = blockSize
        self.parallelization = parallelization
    }

    /// The cost of new slots by default.
    public static let standard = ScryptCost(logN: 17)
    /// The lowest cost of a new slot: 32 MiB.
    public static let least = ScryptCost(logN: 15)

    /// The highest cost that is accepted.
    static let most = ScryptCost(logN: 20, parallelization: 4)

    /// How long one try takes, in blocks that are mixed.
    var work: Int { Int(parallelization) << Int(min(logN, 40)) }

    /// The memory that one try takes, in bytes.
    public var memory: Int { (128 * Int(blockSize)) << Int(logN) }

    /// Whether the cost of a vault from elsewhere is acceptable, up to 1 GiB. Checked before anything is allocated.
    func isTaken(from floor: UInt8) -> Bool {
        (floor...Self.most.logN).contains(logN) && blockSize == 8
            && (1...Self.most.parallelization).contains(parallelization)
    }
}
