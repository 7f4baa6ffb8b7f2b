import Latchkey
import LatchkeyJSON

/// A challenge that waits for an answer, as `login --detach` and `answer` show it.
struct ChallengeReport {
    var challenge: Challenge

    /// The members of the JSON output, for the help.
    static let members: [(member: String, meaning: String)] = [
        ("challenge", "Its id, for \"latchkey answer\""),
        (
            "kind",
            "What is wanted: visit, openedLink, code, device, password, newPassword, totp, enrolment, choose, fields,"
                + " captcha or other"
        ),
        ("sentTo", "code, openedLink: where it was sent; absent where the service does not say"),
        ("resendAfterSeconds", "code, openedLink: how long to wait before asking for another"),
        ("choices", "choose: a list of objects, id and label"),
        ("fields", "fields: a list of objects, name, required, and secret for what is not to be shown"),
        ("url", "visit, device: the address to open; enrolment: the otpauth address"),
        ("redirect", "visit: the address at which the browser will arrive"),
        ("userCode", "device: the code to enter there"),
        ("key", "enrolment: the key for an authenticator app, in Base32"),
        ("expiresAt", "When it can no longer be answered; absent where unknown"),
    ]

    var json: JSON {
        var members: [String: JSON] = ["challenge": .string(challenge.id), "kind": .string(kind)]
        members["url"] = url.map { .string($0) }
        members["expiresAt"] = challenge.expiresAt.map { .string(AccountReport.text($0)) }
        if case .visit(_, let redirect) = challenge.ask { members["redirect"] = .string(redirect) }
        if case .device(let device) = challenge.ask { members["userCode"] = .string(device.userCode) }
        members["key"] = key.map { .string($0) }
        members["sentTo"] = sentTo.map { .string($0) }
        members["resendAfterSeconds"] = challenge.resendAfter.map { .integer($0.wholeSecondsUp) }
        members["choices"] =
            choices.isEmpty ? nil : .array(choices.map { ["id": .string($0.id), "label": .string($0.label)] })
        members["fields"] = fields.isEmpty ? nil : .array(fields)
        return .object(members)
    }

    func lines(_ texts: ToolTexts) -> [String] {
        var code: String?
        if case .device(let device) = challenge.ask { code = device.userCode }
        return Columns.lines(
            [
                (texts("label.challenge"), challenge.id), (texts("label.wants"), kind),
                (texts("label.sentTo"), sentTo),
                (
                    texts("label.another"),
                    challenge.resendAfter.map {
                        texts("in", ["time": Durations.describe(.seconds($0.wholeSecondsUp))])
                    }
                ),
                (texts("label.open"), url), (texts("label.code"), code), (texts("label.key"), key),
                (texts("label.until"), challenge.expiresAt.map(AccountReport.text)),
            ] + fields.map { (texts("label.field"), $0["name"]?.string) }
                + choices.map { (texts("label.choice"), "\($0.id)  \($0.label)") })
    }

    private var key: String? {
        if case .enrolment(let enrolment) = challenge.ask { enrolment.key } else { nil }
    }

    private var sentTo: String? {
        switch challenge.ask {
        case .code(_, let address), .openedLink(let address): address
        default: nil
        }
    }

    private var choices: [Ask.Option] {
        if case .choose(let options) = challenge.ask { options } else { [] }
    }

    private var fields: [JSON] {
        guard case .fields(let fields) = challenge.ask else { return [] }
        return fields.map { field in
            ["name": .string(field.name), "required": .bool(field.required), "secret": .bool(field.secret)]
        }
    }

    private var url: String? {
        switch challenge.ask {
        case .visit(let url, _): url
        case .device(let device): device.complete ?? device.at
        case .enrolment(let enrolment): enrolment.address
        default: nil
        }
    }

    private var kind: String {
        switch challenge.ask {
        case .visit: "visit"
        case .openedLink: "openedLink"
        case .code: "code"
        case .device: "device"
        case .password: "password"
        case .newPassword: "newPassword"
        case .captcha: "captcha"
        case .totp: "totp"
        case .enrolment: "enrolment"
        case .choose: "choose"
        case .fields: "fields"
        default: "other"
        }
    }
}
