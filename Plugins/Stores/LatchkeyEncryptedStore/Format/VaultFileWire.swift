import Latchkey
import LatchkeyCrypto
import LatchkeySystem

/// The layout of a vault, LKV1. Integers are big-endian.
///
/// | Offset | Length | Content |
/// | --- | --- | --- |
/// | 0 | 8 | `89 4C 4B 56 0D 0A 1A 0A`: shows whether a transfer in text mode changed the file |
/// | 8 | 2 | version, 1 |
/// | 10 | 2 | flags: 1, the body is padded |
/// | 12 | 1 | suite |
/// | 13 | 1 | number of slots, 1 to 16 |
/// | 14 | 2 | 0 |
/// | 16 | 16 | the vault's id |
/// | 32 | 8 | generation |
/// | 40 | 4 | epoch |
/// | 44 | 4 | bytes of slots, S |
/// | 48 | 4 | bytes of body, B |
/// | 52 | 4 | 0 |
/// | 56 | 8 | written at, milliseconds since 1970 |
/// | 64 | S | slots: type 1, flags 1, index 2, length of parameters 4, parameters, salt 32, commitment 32, wrapped key 48 |
/// | | 32 | HMAC-SHA256 of all before, under a key of the vault's key |
/// | | B | salt 32, ciphertext, tag 16 |
/// | | 32 | SHA-256 of all before: tells damage from a wrong key; does not protect against an attacker |
enum VaultFileWire {
    static let magic: [UInt8] = [0x89, 0x4C, 0x4B, 0x56, 0x0D, 0x0A, 0x1A, 0x0A]
    static let version: UInt16 = 1
    static let padded: UInt16 = 1
    static let prefixLength = 64
    static let codeLength = 32
    static let saltLength = 32
    static let trailerLength = 32
    static let wrappedLength = 48
    static let slotHead = 8
    static let mostSlots = 16
    /// The most bytes that a vault may have.
    static let limit = 16 << 20
    private static let shortest = prefixLength + codeLength + saltLength + AEAD.tagLength + trailerLength

    /// Reads the header and the body, after checking lengths and trailer in this order. Needs no key.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.damaged)`, `store(.newerVersion)`.
    static func open(_ bytes: [UInt8]) throws(AuthError) -> (VaultHeader, body: ArraySlice<UInt8>) {
        // One vault is opened several times in a row, and hashing it takes most of that time.
        if let known = checked.withLock({ $0 }), known.bytes.isSameArray(as: bytes) {
            return (known.header, known.body)
        }
        let (header, body) = try openUnchecked(bytes)
        let end = bytes.count - trailerLength
        let sum = bytes.withUnsafeBytes { Checksum.sha256(UnsafeRawBufferPointer(rebasing: $0[..<end])) }
        guard bytes[end...].elementsEqual(sum) else { throw damaged("has another content than was written") }
        checked.withLock { $0 = (bytes, header, body) }
        return (header, body)
    }

    /// The vault whose trailer was checked last. It is sealed, and the array cannot change while it is held here.
    private static let checked = Locked<(bytes: [UInt8], header: VaultHeader, body: ArraySlice<UInt8>)?>(nil)

    /// Reads the same without checking the trailer, for a file that this process has just written.
    static func openUnchecked(_ bytes: [UInt8]) throws(AuthError) -> (VaultHeader, body: ArraySlice<UInt8>) {
        guard bytes.count >= shortest else { throw damaged("is shorter than any vault") }
        guard bytes.count <= limit else { throw damaged("is larger than 16 MiB") }
        return try split(bytes)
    }

    /// Reads the header from prefix, slots and code, without a body.
    static func openHead(_ bytes: [UInt8]) throws(AuthError) -> VaultHeader {
        guard bytes.count >= prefixLength + codeLength else { throw damaged("is shorter than any head") }
        return try header(bytes)
    }

    private static func split(_ bytes: [UInt8]) throws(AuthError) -> (VaultHeader, body: ArraySlice<UInt8>) {
        let header = try header(bytes)
        let start = header.authenticated.count + codeLength
        guard start + header.bodySize + trailerLength == bytes.count else {
            throw damaged("has another size than its head says")
        }
        return (header, bytes[start..<start + header.bodySize])
    }

    private static func header(_ bytes: [UInt8]) throws(AuthError) -> VaultHeader {
        guard bytes.starts(with: magic) else { throw damaged(mangled(bytes)) }
        let reader = Reader(bytes)
        guard reader.number(8, 2) == UInt64(version) else { throw newer("has the version \(reader.number(8, 2))") }
        guard reader.number(10, 2) == UInt64(padded), reader.number(14, 2) == 0, reader.number(52, 4) == 0,
            let suite = VaultSuite(rawValue: bytes[12])
        else { throw newer("says things of itself that this version does not know") }
        let count = Int(bytes[13])
        let (slotBytes, bodySize) = (Int(reader.number(44, 4)), Int(reader.number(48, 4)))
        guard (1...mostSlots).contains(count), slotBytes <= limit, bodySize <= limit,
            bodySize >= saltLength + AEAD.tagLength, prefixLength + slotBytes + codeLength <= bytes.count,
            reader.number(32, 8) > 0, reader.number(40, 4) > 0
        else { throw damaged("has a head of the wrong form") }
        let end = prefixLength + slotBytes
        return VaultHeader(
            suite: suite, id: VaultID(Array(bytes[16..<32])), generation: reader.number(32, 8),
            epoch: UInt32(reader.number(40, 4)), writtenAt: reader.number(56, 8),
            slots: try slots(bytes[prefixLength..<end], count: count), bodySize: bodySize,
            code: Array(bytes[end..<end + codeLength]), authenticated: Array(bytes[..<end]))
    }

    private static func slots(_ bytes: ArraySlice<UInt8>, count: Int) throws(AuthError) -> [VaultSlot] {
        var slots: [VaultSlot] = []
        var rest = bytes
        for _ in 0..<count {
            let reader = Reader(Array(rest.prefix(slotHead)))
            guard rest.count >= slotHead else { throw damaged("has slots of the wrong form") }
            let length = Int(reader.number(4, 4))
            guard length <= rest.count - slotHead - 2 * saltLength - wrappedLength else {
                throw damaged("has slots of the wrong form")
            }
            let (type, flags) = (rest[rest.startIndex], rest[rest.startIndex + 1])
            let index = UInt16(reader.number(2, 2))
            rest = rest.dropFirst(slotHead)
            func take(_ count: Int) -> [UInt8] {
                defer { rest = rest.dropFirst(count) }
                return Array(rest.prefix(count))
            }
            let parameters = take(length)
            slots.append(
                VaultSlot(
                    index: index, kind: VaultSlot.Kind(type: type, parameters), type: type, flags: flags,
                    parameters: parameters, salt: take(saltLength), commitment: take(saltLength),
                    wrapped: take(wrappedLength)))
        }
        guard rest.isEmpty, Set(slots.map(\.index)).count == slots.count else {
            throw damaged("has slots of the wrong form")
        }
        return slots
    }

    /// Says how a transfer in text mode changed the magic number.
    private static func mangled(_ bytes: [UInt8]) -> String {
        let isMangled = bytes.starts(with: [0x89, 0x4C, 0x4B, 0x56]) || bytes.starts(with: [0x09, 0x4C, 0x4B, 0x56])
        return isMangled ? "was changed as if it were text" : "is no vault"
    }

    static func damaged(_ fault: String) -> AuthError { AuthError(.store(.damaged), "the vault \(fault)") }
    private static func newer(_ fault: String) -> AuthError { AuthError(.store(.newerVersion), "the vault \(fault)") }

    private struct Reader {
        let bytes: [UInt8]
        init(_ bytes: [UInt8]) { self.bytes = bytes }
        func number(_ offset: Int, _ length: Int) -> UInt64 {
            bytes.dropFirst(offset).prefix(length).reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}

// MARK: Writing

extension VaultFileWire {
    /// Returns the prefix and the slots of a vault.
    static func head(
        suite: VaultSuite, id: VaultID, generation: UInt64, epoch: UInt32, writtenAt: UInt64, slots: [VaultSlot],
        bodySize: Int
    ) -> [UInt8] {
        let slotBytes = slots.flatMap(\.bytes)
        var head = magic + bigEndian(UInt64(version), 2) + bigEndian(UInt64(padded), 2)
        head += [suite.rawValue, UInt8(slots.count), 0, 0] + id.bytes + bigEndian(generation, 8)
        head += bigEndian(UInt64(epoch), 4) + bigEndian(UInt64(slotBytes.count), 4) + bigEndian(UInt64(bodySize), 4)
        return head + [0, 0, 0, 0] + bigEndian(writtenAt, 8) + slotBytes
    }

    static func bigEndian(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64(count - 1 - $0))) }
    }
}

extension VaultSlot {
    /// The fields that are authenticated with the wrapped key.
    var head: [UInt8] {
        [type, flags] + VaultFileWire.bigEndian(UInt64(index), 2)
            + VaultFileWire.bigEndian(UInt64(parameters.count), 4) + parameters
    }

    var bytes: [UInt8] { head + salt + commitment + wrapped }
}

extension VaultSlot.Kind {
    static let scryptType: UInt8 = 1
    static let stretchedType: UInt8 = 2
    static let keyType: UInt8 = 3
    static let recoveryType: UInt8 = 6

    init(type: UInt8, _ parameters: [UInt8]) {
        switch type {
        case Self.scryptType where parameters.count == 4 && parameters[3] == 0:
            self = .passphrase(
                ScryptCost(logN: parameters[0], blockSize: parameters[1], parallelization: parameters[2]))
        case Self.stretchedType where parameters.count == 5 && parameters[0] == 1:
            self = .stretched(rounds: parameters[1...].reduce(0) { $0 << 8 | UInt32($1) })
        case Self.keyType:
            let parts = parameters.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let source = String(validating: parts[0], as: UTF8.self),
                let name = String(validating: parts[1], as: UTF8.self)
            else {
                self = .unknown(type: type)
                return
            }
            self = .key(source: source, name: name)
        case Self.recoveryType where parameters.isEmpty: self = .recoveryCode
        default: self = .unknown(type: type)
        }
    }

    /// The slot's type and parameters, as they stand in the file.
    var wire: (type: UInt8, parameters: [UInt8]) {
        switch self {
        case .passphrase(let cost):
            (Self.scryptType, [cost.logN, cost.blockSize, cost.parallelization, 0])
        case .stretched(let rounds):
            (Self.stretchedType, [1] + VaultFileWire.bigEndian(UInt64(rounds), 4))
        case .key(let source, let name): (Self.keyType, Array(source.utf8) + [0] + Array(name.utf8))
        case .recoveryCode: (Self.recoveryType, [])
        case .unknown(let type): (type, [])
        }
    }
}
