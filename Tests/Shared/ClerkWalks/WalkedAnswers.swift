import FoundationEssentials
import Latchkey
import LatchkeyDevServer
import LatchkeySystem

/// Answers what is asked, as the person would.
struct WalkedAnswers: ChallengePresenter {
    let instance: WalkedInstance
    let address: String
    /// What was asked, in short.
    let asked = Locked<[String]>([])
    private let totp = Locked(WalkedPerson.key)

    init(_ instance: WalkedInstance, _ address: String) { (self.instance, self.address) = (instance, address) }

    /// A question that no person of the table can answer.
    struct Puzzled: Error { var what: String }

    func answer(_ challenge: Challenge) async throws -> Answer {
        let count = asked.withLock { asked in
            asked.append(Self.name(challenge.ask))
            return asked.count
        }
        guard count < 16 else { throw Puzzled(what: "asked for ever") }
        switch challenge.ask {
        case .code: return .code(instance.code(to: address))
        case .password: return .password(Secret(WalkedPerson.secret))
        case .newPassword: return .password(Secret(Self.another))
        case .totp: return .code(code())
        case .enrolment(let enrolment):
            totp.withLock { $0 = enrolment.key }
            return .code(code())
        case .choose(let options): return .choice(choice(options.map(\.id)))
        case .fields(let fields):
            let values = fields.map { ($0.name, Secret(value(of: $0))) }
            return .fields(Dictionary(values) { first, _ in first })
        case .visit(let url, _):
            guard let back = try await instance.browse(url) else { throw Puzzled(what: "a visit that ends nowhere") }
            return .redirected(back)
        case .openedLink:
            // Nothing was sent to a person without an account, and the person gives up.
            guard let link = instance.link(to: address) else { return .declined }
            guard let back = try await instance.browse(link) else { throw Puzzled(what: "a link that leads nowhere") }
            return .redirected(back)
        default: throw Puzzled(what: Self.name(challenge.ask))
        }
    }

    private func code() -> Secret {
        let time = Date().timeIntervalSince1970
        return Secret(DevServer.TOTP.code(secret: totp.withLock { $0 }, at: time) ?? "")
    }

    private func value(of field: Ask.Field) -> String {
        if field.name.hasPrefix("current") { return WalkedPerson.secret }
        return field.rules != nil || field.name.contains("password") ? Self.another : "Some \(field.name)"
    }

    private static let another = "another-long-one-2"

    private func choice(_ ids: [String]) -> String {
        let liked = ["totp", "email_code", "email_link", "accept", "accepted", "yes", "enterprise_sso"]
        return liked.first(where: ids.contains) ?? ids.first ?? ""
    }

    private static func name(_ ask: Ask) -> String {
        "\(ask)".prefix { $0 != "(" }.description
    }
}
