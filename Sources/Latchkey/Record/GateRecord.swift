import FoundationEssentials
import LatchkeyJSON

/// What the gate keeps between processes: whether the person has switched it on, and when they last
/// gave a proof.
struct GateRecord: Equatable, Sendable {
    static let key = StoreKey(.settings, "gate")

    /// Whether the person has switched the unlock on.
    var isEnabled = false
    /// Whether it was offered.
    var wasOffered = false
    /// When the last proof was given.
    var provenAt: MonotonicInstant?
    /// The boot that ``provenAt`` belongs to.
    var boot: String?

    /// The record in `bytes`.
    ///
    /// - Throws: ``AuthError`` `store(.damaged)`.
    init(_ bytes: [UInt8]) throws(AuthError) {
        let document = try RecordWire.open(bytes, kind: "latchkey.gate")
        do throws(JSONError) {
            isEnabled = try document["enabled"].optional?.bool() ?? false
            wasOffered = try document["offered"].optional?.bool() ?? false
            provenAt = try document["provenAt"].optional?.integer().asInstant
            boot = try document["boot"].optional?.string()
        } catch {
            throw RecordWire.damaged(error)
        }
    }

    init() {}

    func bytes() -> [UInt8] {
        JSONDraft.members([
            "kind": "latchkey.gate", "format": .integer(1), "enabled": .bool(isEnabled), "offered": .bool(wasOffered),
            "provenAt": provenAt.map { .integer($0.nanoseconds) }, "boot": boot.map { .string($0) },
        ]).serialized()
    }

    /// The instant of the last proof, if it was in this boot. After a restart only the wall clock
    /// could tell how long ago it was, and anybody can set that.
    func proof(in boot: String, now: MonotonicInstant) -> MonotonicInstant? {
        guard let provenAt, self.boot == boot, provenAt <= now else { return nil }
        return provenAt
    }
}

extension Int64 {
    fileprivate var asInstant: MonotonicInstant { MonotonicInstant(nanoseconds: self) }
}
