import Latchkey
import LatchkeyJSON

/// A challenge that waits for an answer, as `login --detach` and `answer` show it.
struct ChallengeReport {
    var challenge: Challenge

    /// The members of the JSON output, for the help.
    static let members: [(member: String, meaning: String)] = [
        ("challenge", "Its id, for \"latchkey answer\""),
        ("kind", "What is wanted: visit, openedLink, code, device, password, totp, choose, fields or other"),
        ("url", "visit, device: the address to open"),
        ("redirect", "visit: the address at which the browser will arrive"),
        ("userCode", "device: the code to enter there"),
        ("expiresAt", "When it can no longer be answered; absent where unknown"),
    ]

    var json: JSON {
        var members: [String: JSON] = ["challenge": .string(challenge.id), "kind": .string(kind)]
        members["url"] = url.map { .string($0) }
        members["expiresAt"] = challenge.expiresAt.map { .string(AccountReport.text($0)) }
        if case .visit(_, let redirect) = challenge.ask { members["redirect"] = .string(redirect) }
        if case .device(let device) = challenge.ask { members["userCode"] = .string(device.userCode) }
        return .object(members)
    }

    var lines: [String] {
        var code: String?
        if case .device(let device) = challenge.ask { code = device.userCode }
        return Columns.lines([
            ("challenge", challenge.id), ("wants", kind), ("open", url), ("code", code),
            ("until", challenge.expiresAt.map(AccountReport.text)),
        ])
    }

    private var url: String? {
        switch challenge.ask {
        case .visit(let url, _): url
        case .device(let device): device.complete ?? device.at
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
        case .totp: "totp"
        case .choose: "choose"
        case .fields: "fields"
        default: "other"
        }
    }
}
