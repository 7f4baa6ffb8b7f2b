import FoundationEssentials
import Latchkey
import LatchkeyDevServer

/// Reads the mail, and the code of the app.
struct Person: ChallengePresenter {
    let server: DevServer
    let app: Secret?

    func answer(_ challenge: Challenge) async throws -> Answer {
        switch challenge.ask {
        case .code: server.clerkMessages.last.map { .code(Secret($0.code)) } ?? .declined
        case .choose(let options): options.first { $0.id == "totp" }.map { .choice($0.id) } ?? .declined
        case .totp: app.map { .code(Self.code(of: $0)) } ?? .declined
        default: .declined
        }
    }

    static func code(of secret: Secret) -> Secret {
        Secret(DevServer.TOTP.code(secret: secret.revealText(), at: Date().timeIntervalSince1970) ?? "")
    }
}

/// A step that failed.
struct Missed: Error {
    let step: String

    init(_ step: String) { self.step = step }
}
