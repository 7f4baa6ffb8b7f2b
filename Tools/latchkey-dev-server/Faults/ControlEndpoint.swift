import LatchkeyHTTPServer
import LatchkeyJSON
import LatchkeySystem

/// The endpoints by which tests and scripts control the server, under `/control/`. JSON in, JSON out.
///
/// Every request needs the field `X-Latchkey-Control: 1`. A web page cannot send it to another origin without a
/// CORS preflight, which the server never answers for these.
extension DevServer {
    static let controlPrefix = "/control/"

    func control(_ request: ServerRequest) -> ServerResponse {
        guard request.count(ofField: DevServerWire.controlField) == 1,
            request.field(DevServerWire.controlField) == "1"
        else { return Self.refuse("The field \(DevServerWire.controlField) is missing.", status: 403) }
        let command = String(request.path.dropFirst(Self.controlPrefix.count))
        if command == "log" {
            guard request.method == "GET" else { return Self.refuse("The log is read with GET.", status: 405) }
            return Self.answer(logDocument())
        }
        if command == "inbox" {
            guard request.method == "GET" else { return Self.refuse("The inbox is read with GET.", status: 405) }
            return Self.answer(inboxDocument(request))
        }
        guard request.method == "POST" else { return Self.refuse("Commands are sent with POST.", status: 405) }
        do throws(JSONError) {
            let body = try JSONField(request.body.isEmpty ? .object([:]) : JSON.parse(request.body))
            return try run(command, body) ?? Self.refuse("The command is unknown.", status: 404)
        } catch {
            return Self.refuse("The body is refused: \(error).", status: 400)
        }
    }

    private func run(_ command: String, _ body: JSONField) throws(JSONError) -> ServerResponse? {
        switch command {
        case "faults": return Self.answer(when: inject(try Fault(body)), "The fault has a number out of range.")
        case "clear": clear()
        case "release":
            let limit = try body["count"].optional?.integer().clamped
            let count = try body["drop"].optional?.bool() ?? false ? drop(limit) : release(limit)
            return Self.answer(.object(["released": .integer(Int64(count))]))
        case "approve":
            let done = approve(userCode: try body["user_code"].string(), as: try body["user"].optional?.string())
            return Self.answer(when: done, "No device waits with this code, or there is no such user.")
        case "deny":
            return Self.answer(when: deny(userCode: try body["user_code"].string()), "No device waits with this code.")
        case "rotate-keys":
            let done = rotateKeys(keepingOld: try body["keep"].optional?.bool() ?? true)
            return Self.answer(when: done, "The keys could not be made.")
        case "describe":
            let done = describe(
                subject: try body["subject"].string(), displayName: try body["displayName"].optional?.string(),
                claims: try body["claims"].optional?.object() ?? [:])
            return Self.answer(when: done, "Nobody has this subject.")
        case "revoke": revoke(subject: try body["subject"].string())
        case "configure":
            let changes = try Changes(body)
            return Self.answer(when: configure { changes.apply(to: &$0) }, "A value is out of range.")
        default: return nil
        }
        return Self.answer(.object([:]))
    }

    private func logDocument() -> JSON {
        let (entries, total) = state.withLock { ($0.log.latest, $0.log.total) }
        return .object([
            "entries": .array(entries.map(\.json)), "total": .integer(Int64(total)),
            "held": .integer(Int64(heldAnswers)),
        ])
    }

    private static func answer(_ document: JSON) -> ServerResponse { .json(document.serialized()) }

    private static func answer(when done: Bool, _ reason: String) -> ServerResponse {
        done ? answer(.object([:])) : refuse(reason, status: 400)
    }

    private static func refuse(_ reason: String, status: Int) -> ServerResponse {
        .json(JSON.object([DevServerWire.error: .string(reason)]).serialized(), status: status)
    }
}

extension DevServer.Fault {
    init(_ body: JSONField) throws(JSONError) {
        guard let kind = Kind(rawValue: try body["kind"].string()) else { throw JSONError(.wrongType, at: "$.kind") }
        guard let endpoint = DevServer.Endpoint(rawValue: try body["endpoint"].string()) else {
            throw JSONError(.wrongType, at: "$.endpoint")
        }
        self.init(kind, at: endpoint)
        if let name = try body["grant"].optional?.string() {
            guard let grant = DevServer.Grant(rawValue: name) else { throw JSONError(.wrongType, at: "$.grant") }
            self.grant = grant
        }
        count = try body["count"].optional?.integer().clamped ?? 1
        milliseconds = try body["milliseconds"].optional?.integer().clamped ?? 0
        status = try body["status"].optional?.integer().clamped
        seconds = try body["seconds"].optional?.integer().clamped ?? 0
        error = try body["error"].optional?.string()
        bytes = try body["bytes"].optional?.integer().clamped ?? bytes
        acts = try body["acts"].optional?.bool() ?? true
    }
}

/// The settings that `/control/configure` can change. Absent members stay as they are.
private struct Changes: Sendable {
    var numbers: [String: Int] = [:]
    var autoApprove: Bool?
    var signsUserInfo: Bool?
    var rotation: DevServer.Rotation?
    /// The attack to begin; an inner `nil` ends the present one.
    var attack: DevServer.Attack??
    var victim: String?
    var supabase: SupabaseChanges?

    static var names: [(String, WritableKeyPath<DevServer.Configuration, Int>)] {
        [
            ("accessTokenLifetime", \.accessTokenLifetime), ("idTokenLifetime", \.idTokenLifetime),
            ("refreshTokenLifetime", \.refreshTokenLifetime), ("codeLifetime", \.codeLifetime),
            ("deviceLifetime", \.deviceLifetime), ("deviceInterval", \.deviceInterval),
            ("rotationGrace", \.rotationGrace), ("clockSkew", \.clockSkew),
        ]
    }

    init(_ body: JSONField) throws(JSONError) {
        for (name, _) in Self.names { numbers[name] = try body[name].optional?.integer().clamped }
        autoApprove = try body["autoApprove"].optional?.bool()
        signsUserInfo = try body["signsUserInfo"].optional?.bool()
        if let name = try body["rotation"].optional?.string() {
            guard let found = DevServer.Rotation(rawValue: name) else { throw JSONError(.wrongType, at: "$.rotation") }
            rotation = found
        }
        if let name = try body["attack"].optional?.string() {
            let found = DevServer.Attack(rawValue: name)
            guard found != nil || name == "none" else { throw JSONError(.wrongType, at: "$.attack") }
            attack = .some(found)
        }
        victim = try body["victim"].optional?.string()
        supabase = try body["supabase"].optional.map { (field) throws(JSONError) in try SupabaseChanges(field) }
        let own = ["autoApprove", "signsUserInfo", "rotation", "attack", "victim", "supabase"]
        let known = Set(Self.names.map(\.0) + own)
        if let unknown = try body.object().keys.sorted().first(where: { !known.contains($0) }) {
            throw JSONError(.wrongType, at: "$.\(unknown)")
        }
    }

    func apply(to configuration: inout DevServer.Configuration) {
        for (name, path) in Self.names {
            if let number = numbers[name] { configuration[keyPath: path] = number }
        }
        if let autoApprove { configuration.autoApprove = autoApprove }
        if let signsUserInfo { configuration.signsUserInfo = signsUserInfo }
        if let rotation { configuration.rotation = rotation }
        if let attack { configuration.attack = attack }
        if let victim { configuration.victim = victim }
        supabase?.apply(to: &configuration.supabase)
    }
}

extension Int64 {
    fileprivate var clamped: Int { Int(clamping: self) }
}
