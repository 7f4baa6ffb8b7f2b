import LatchkeyHTTPServer
import LatchkeyJSON
import LatchkeySystem

/// The functions of `/control/` for the Supabase dialect.
extension DevServer {
    /// Returns the messages for `/control/inbox`: all, or those to the recipient in `to`.
    func inboxDocument(_ request: ServerRequest) -> JSON { state.withLock { $0.supabase.inbox.document(request) } }
}

extension SupabaseInbox {
    /// Returns the messages as JSON, oldest first: all, or those to the recipient in `to`.
    func document(_ request: ServerRequest) -> JSON {
        let recipient = request.queryPairs.first { $0.name == "to" }?.value
        let messages = latest.filter { recipient == nil || $0.to == recipient }.map { message -> JSON in
            var members: [String: JSON] = [
                "sequence": .integer(Int64(message.sequence)), "to": .string(message.to),
                "channel": .string(message.channel), "type": .string(message.type), "code": .string(message.code),
                "sentAt": .string(RFC3339.string(message.sentAt)),
            ]
            members["link"] = message.link.map(JSON.string)
            members["tokenHash"] = message.tokenHash.map(JSON.string)
            return .object(members)
        }
        return ["messages": .array(messages)]
    }
}

/// The settings that the member `supabase` of `/control/configure` can change. Absent members stay as they are.
struct SupabaseChanges: Sendable {
    private var integers: [String: Int] = [:]
    private var numbers: [String: Double] = [:]
    private var switches: [String: Bool] = [:]
    private var generation: DevServer.Supabase.TokenGeneration?

    private static var integerNames: [String: WritableKeyPath<DevServer.Supabase, Int>] {
        [
            "accessTokenLifetime": \.accessTokenLifetime, "gatewayStatus": \.gatewayStatus,
            "passwordLength": \.passwordLength, "factorLimit": \.factorLimit, "mailsPerHour": \.mailsPerHour,
            "messagesPerHour": \.messagesPerHour,
        ]
    }
    private static var numberNames: [String: WritableKeyPath<DevServer.Supabase, Double>] {
        [
            "reuseInterval": \.reuseInterval, "codeLifetime": \.codeLifetime, "flowLifetime": \.flowLifetime,
            "challengeLifetime": \.challengeLifetime, "resendGap": \.resendGap,
        ]
    }
    private static var switchNames: [String: WritableKeyPath<DevServer.Supabase, Bool>] {
        [
            "rotation": \.rotation, "autoconfirms": \.autoconfirms, "autoconfirmsPhone": \.autoconfirmsPhone,
            "disablesSignUp": \.disablesSignUp, "allowsAnonymous": \.allowsAnonymous,
            "needsBothAddresses": \.needsBothAddresses, "needsCurrentPassword": \.needsCurrentPassword,
            "allowsOneSession": \.allowsOneSession, "allowsTOTP": \.allowsTOTP, "sendsMessages": \.sendsMessages,
        ]
    }

    init(_ body: JSONField) throws(JSONError) {
        for name in try body.object().keys.sorted() {
            if Self.integerNames[name] != nil {
                integers[name] = Int(clamping: try body[name].integer())
            } else if Self.numberNames[name] != nil {
                numbers[name] = try body[name].number()
            } else if Self.switchNames[name] != nil {
                switches[name] = try body[name].bool()
            } else if name == "refreshTokens",
                let found = DevServer.Supabase.TokenGeneration(
                    rawValue: try body[name].string())
            {
                generation = found
            } else {
                throw JSONError(.wrongType, at: "\(body.path).\(name)")
            }
        }
    }

    func apply(to settings: inout DevServer.Supabase) {
        for (name, value) in integers { Self.integerNames[name].map { settings[keyPath: $0] = value } }
        for (name, value) in numbers { Self.numberNames[name].map { settings[keyPath: $0] = value } }
        for (name, value) in switches { Self.switchNames[name].map { settings[keyPath: $0] = value } }
        if let generation { settings.refreshTokens = generation }
    }
}
