import LatchkeyJSON

extension Ask {
    func record() -> JSONDraft {
        switch self {
        case .code(let channel, let sentTo):
            .members(["is": "code", "over": .string(channel.rawValue), "sentTo": sentTo.map(JSONDraft.string)])
        case .openedLink(let sentTo): .members(["is": "openedLink", "sentTo": sentTo.map(JSONDraft.string)])
        case .totp: ["is": "totp"]
        case .backupCode: ["is": "backupCode"]
        case .enrolment(let enrolment):
            ["is": "enrolment", "key": .string(enrolment.key), "address": .string(enrolment.address)]
        case .password: ["is": "password"]
        case .newPassword(let rules): ["is": "newPassword", "rules": .array(rules.map(JSONDraft.string))]
        case .choose(let options):
            ["is": "choose", "options": .array(options.map { ["id": .string($0.id), "label": .string($0.label)] })]
        case .fields(let fields):
            [
                "is": "fields",
                "fields": .array(
                    fields.map { field in
                        .members([
                            "name": .string(field.name), "secret": .bool(field.secret),
                            "required": .bool(field.required),
                            "rules": field.rules.map { .array($0.map(JSONDraft.string)) },
                        ])
                    }),
            ]
        case .visit(let url, let redirect): ["is": "visit", "url": .string(url), "redirect": .string(redirect)]
        case .device(let device):
            .members([
                "is": "device", "userCode": .string(device.userCode), "at": .string(device.at),
                "complete": device.complete.map(JSONDraft.string), "interval": .nanoseconds(device.interval),
            ])
        case .captcha(let siteKey): ["is": "captcha", "siteKey": .string(siteKey)]
        case .passkey(let request): ["is": "passkey", "request": .value(request)]
        case .wallet(let message): ["is": "wallet", "message": .string(message)]
        }
    }

    init(record: JSONDocument.Field) throws(JSONError) {
        switch try record["is"].string() {
        case "code":
            self = .code(
                over: DeliveryChannel(rawValue: try record["over"].string()) ?? .mail,
                sentTo: try record["sentTo"].optional?.string())
        case "openedLink": self = .openedLink(sentTo: try record["sentTo"].optional?.string())
        case "totp": self = .totp
        case "backupCode": self = .backupCode
        case "enrolment":
            self = .enrolment(
                Enrolment(key: try record["key"].string(), address: try record["address"].string()))
        case "password": self = .password
        case "newPassword":
            var rules: [String] = []
            for rule in try record["rules"].array() { rules.append(try rule.string()) }
            self = .newPassword(rules: rules)
        case "choose":
            var options: [Option] = []
            for option in try record["options"].array() {
                options.append(Option(id: try option["id"].string(), label: try option["label"].string()))
            }
            self = .choose(options)
        case "fields":
            var fields: [Field] = []
            for field in try record["fields"].array() {
                var rules: [String]?
                if let stored = field["rules"].optional {
                    rules = []
                    for rule in try stored.array() { rules?.append(try rule.string()) }
                }
                fields.append(
                    Field(
                        name: try field["name"].string(), secret: try field["secret"].bool(),
                        required: try field["required"].bool(), rules: rules))
            }
            self = .fields(fields)
        case "visit": self = .visit(url: try record["url"].string(), redirect: try record["redirect"].string())
        case "device":
            self = .device(
                Device(
                    userCode: try record["userCode"].string(), at: try record["at"].string(),
                    complete: try record["complete"].optional?.string(),
                    interval: try record["interval"].duration()))
        case "captcha": self = .captcha(siteKey: try record["siteKey"].string())
        case "passkey": self = .passkey(request: record["request"].json ?? .null)
        case "wallet": self = .wallet(message: try record["message"].string())
        default: throw JSONError(.wrongType, at: "\(record.path).is")
        }
    }
}
