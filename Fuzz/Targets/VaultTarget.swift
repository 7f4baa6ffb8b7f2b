import Latchkey

@testable import LatchkeyAgent
@testable import LatchkeyCrypto
@testable import LatchkeyEncryptedStore
@testable import LatchkeyPassphrase

extension FuzzTarget {
    /// What the encrypted store reads but others may have written. The first byte says which:
    ///
    /// `v` a vault, whose trailer is corrected; `b` the content of one; `r` a sealed record; `m` a message of an
    /// agent, without its length; `t` a count of wrong tries; `c` a recovery code as a person types it.
    static let vault = FuzzTarget(name: "vault", longest: 4_096) { bytes throws(Disagreement) in
        let input = Array(bytes.dropFirst())
        do {
            switch bytes.first {
            case UInt8(ascii: "v"): try vault(input)
            case UInt8(ascii: "b"): try body(input)
            case UInt8(ascii: "r"):
                let secret = Secret([UInt8](repeating: 1, count: 32))
                _ = try RecordEnvelope(input).open(with: secret, namespace: "a", name: "b")
                throw Disagreement("a record is opened that nobody sealed")
            case UInt8(ascii: "m"): try message(input)
            case UInt8(ascii: "t"): try tries(input)
            case UInt8(ascii: "c"):
                let code = try RecoveryCode(typed: Secret(input))
                try demand(try RecoveryCode(typed: code.text).secret == code.secret, "a code is read as another one")
            default: break
            }
        } catch let error as Disagreement {
            throw error
        } catch let error as AuthError {
            let known: [AuthError.Code] = [
                .store(.damaged), .store(.newerVersion), .store(.tampered), .untrusted(.malformed),
                .configuration(.unsupported), .refused(.wrongInput),
            ]
            try demand(known.contains(error.code), "what is broken is told as \(error.code)")
        } catch {
            throw Disagreement("what is broken is told as \(type(of: error))")
        }
    }

    private static func vault(_ input: [UInt8]) throws {
        let file = input + Checksum.sha256(input)
        let (header, body) = try VaultFileWire.open(file)
        try demand((1...16).contains(header.slots.count), "there are \(header.slots.count) slots")
        let again = VaultFileWire.head(
            suite: header.suite, id: header.id, generation: header.generation, epoch: header.epoch,
            writtenAt: header.writtenAt, slots: header.slots, bodySize: header.bodySize)
        try demand(header.authenticated == again, "a head is written as another one")
        try demand(header.bytes.count + body.count + 32 == file.count, "bytes belong to nothing")
    }

    private static func body(_ input: [UInt8]) throws {
        let body = try VaultBody(Secret(input))
        let again = try VaultBody(Secret(body.plain()))
        try demand(
            again.records.mapValues(\.value.count) == body.records.mapValues(\.value.count),
            "records are read as others")
    }

    private static func message(_ input: [UInt8]) throws {
        let message = try input.withUnsafeBytes { bytes throws(AuthError) in try AgentMessage(bytes) }
        let again = try message.bytes().withUnsafeBytes { bytes throws(AuthError) in
            try AgentMessage(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(4)))
        }
        try demand(again.parts.count == message.parts.count, "a message is read as another one")
    }

    private static func tries(_ input: [UInt8]) throws {
        guard let count = AttemptCount(input) else { return }
        try demand(AttemptCount(count.bytes()) == count, "a count is read as another one")
    }
}
