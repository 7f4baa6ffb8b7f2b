import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Testing

extension SessionStore {
    /// The only credential record there is.
    func onlyRecord() async throws -> (key: StoreKey, version: RecordVersion, document: JSON) {
        let key = try #require(try await keys(.credential).first)
        let record = try #require(try await read(key))
        return (key, record.version, try JSON.parse(record.bytes))
    }

    /// Changes the record as another process would.
    func change(_ edit: (inout [String: JSON]) throws -> Void) async throws {
        let (key, version, document) = try await onlyRecord()
        var members = try #require(document.object)
        try edit(&members)
        members["writeID"] = "somebody-else"
        try await replace(key, at: version, with: JSON.object(members).serialized())
    }

    /// Another process refreshed: another secret, another token.
    func swapRefreshToken(to secret: String, access: String, at clock: ManualClock) async throws {
        try await change { members in
            var credential = try #require(members["credential"]?.object)
            credential["renewal"] = .string(secret)
            var session = try #require(credential["sessions"]?.array?.first?.object)
            var tokens = try #require(session["tokens"]?.object)
            var token = try #require(tokens[""]?.object)
            var lifetime = try #require(token["lifetime"]?.object)
            lifetime["receivedAt"] = .integer(clock.now().nanoseconds)
            token["lifetime"] = .object(lifetime)
            token["value"] = .string(access)
            tokens[""] = .object(token)
            session["tokens"] = .object(tokens)
            credential["sessions"] = .array([.object(session)])
            members["credential"] = .object(credential)
            members["renewalID"] = .string("refresh-of-\(secret)")
            members["mark"] = nil
        }
    }
}
