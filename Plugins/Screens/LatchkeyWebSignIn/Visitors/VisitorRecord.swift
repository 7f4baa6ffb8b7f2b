import FoundationEssentials
import Latchkey
import LatchkeyJSON

/// What the server keeps of a browser in which somebody is signed in.
struct VisitorRecord: Equatable, Sendable {
    /// The hash of the cookie's proof, as text. Whoever reads the store cannot make a cookie of it.
    var hash: [UInt8]
    /// When each account signed in there. In seconds since 1970, as all times here.
    private(set) var begun: [String: Int64]
    /// When it was last seen, to within a part of the idle limit.
    var seen: Int64

    /// The accounts that signed in there.
    var accounts: Set<String> { Set(begun.keys) }

    /// When the browser's session began: with the oldest sign-in that it still has. A later sign-in makes it no younger.
    var since: Int64 { begun.values.min() ?? seen }

    /// Keeps these accounts alone.
    mutating func keep(_ accounts: Set<String>) { begun = begun.filter { accounts.contains($0.key) } }

    func isOver(at now: Int64, _ limits: BrowserSessionLimits) -> Bool {
        now >= since + limits.absolute.seconds || now >= seen + limits.idle.seconds
    }

    /// Whether the record's ``seen`` is too old to be left.
    func isStale(at now: Int64, _ limits: BrowserSessionLimits) -> Bool {
        now >= seen + max(1, limits.idle.seconds / 20)
    }

    /// The record of a browser in which `person` has just signed in, beside those of `accounts` that were there before.
    init(
        hash: [UInt8], at now: Int64, person: String, beside accounts: Set<String> = [], of before: VisitorRecord? = nil
    ) {
        (self.hash, seen, begun) = (hash, now, (before?.begun ?? [:]).filter { accounts.contains($0.key) })
        begun[person] = now
    }

    /// - Throws: ``/Latchkey/AuthError`` `store(.damaged)`.
    init(_ bytes: [UInt8]) throws(AuthError) {
        do throws(JSONError) {
            let document = JSONField(try JSON.parse(bytes))
            hash = Array(try document["hash"].string().utf8)
            let since = try document["since"].integer()
            seen = try document["seen"].integer()
            begun = [:]
            let accounts = try document["accounts"].array().map { element throws(JSONError) in try element.string() }
            // Records of earlier builds have one time for all.
            let times = document["begun"].optional?.value?.object ?? [:]
            for account in accounts { begun[account] = times[account]?.integer ?? since }
        } catch { throw AuthError(.store(.damaged), "A browser's record is damaged.") }
    }

    var bytes: [UInt8] {
        JSONDraft.members([
            "hash": .string(String(decoding: hash, as: UTF8.self)), "since": .integer(since), "seen": .integer(seen),
            "accounts": .array(accounts.sorted().map { .string($0) }),
            "begun": .object(begun.sorted { $0.key < $1.key }.map { (name: $0.key, value: .integer($0.value)) }),
        ]).serialized()
    }
}

/// The browsers in which one person is signed in.
struct PersonRecord: Equatable, Sendable {
    struct Browser: Equatable, Sendable {
        var id: String
        var since: Int64
    }

    /// The most browsers of one person. The oldest is signed out for a new one.
    static let limit = 50

    /// The oldest first.
    var browsers: [Browser] = []

    init() {}

    /// - Throws: ``/Latchkey/AuthError`` `store(.damaged)`.
    init(_ bytes: [UInt8]) throws(AuthError) {
        do throws(JSONError) {
            browsers = try JSONField(try JSON.parse(bytes))["browsers"].array().map { element throws(JSONError) in
                Browser(id: try element["id"].string(), since: try element["since"].integer())
            }
        } catch { throw AuthError(.store(.damaged), "A person's list of browsers is damaged.") }
    }

    var bytes: [UInt8] {
        JSONDraft.members([
            "browsers": .array(
                browsers.map { .object([("id", .string($0.id)), ("since", .integer($0.since))]) })
        ]).serialized()
    }
}

extension Duration {
    var seconds: Int64 { components.seconds }
}
