import Latchkey
import LatchkeyJSON

extension Turn {
    /// Every text of the question that a presenter may show or pass on. The question's description
    /// contains none of them.
    var shownTexts: [String] {
        guard case .asked(let challenge) = self else { return [] }
        return challenge.ask.shownTexts
    }
}

extension Ask {
    fileprivate var shownTexts: [String] {
        switch self {
        case .code(_, let place), .openedLink(let place): [place ?? ""]
        case .totp, .backupCode, .password: []
        case .enrolment(let enrolment): [enrolment.key, enrolment.address]
        case .newPassword(let rules): rules
        case .choose(let options): options.flatMap { [$0.id, $0.label] }
        case .fields(let fields): fields.flatMap { [$0.name] + ($0.rules ?? []) }
        case .visit(let url, let redirect): [url, redirect]
        case .device(let device): [device.userCode, device.at, device.complete ?? ""]
        case .captcha(let siteKey): [siteKey]
        case .passkey(let request): [String(decoding: request.serialized(), as: UTF8.self)]
        case .wallet(let message): [message]
        }
    }
}
