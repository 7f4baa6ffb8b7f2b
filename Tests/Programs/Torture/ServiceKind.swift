import Latchkey
import LatchkeyDevServer

/// What a service does with refresh tokens.
enum ServiceKind: String, CaseIterable {
    case strict
    case same
    case new

    var rotation: DevServer.Rotation {
        switch self {
        case .strict: .strict
        case .same: .graceSameSuccessor
        case .new: .graceNewSuccessor
        }
    }

    var replay: ProviderRules.RefreshRule {
        switch self {
        case .strict: .killsFamily
        case .same: .sameSuccessor
        case .new: .newSuccessor
        }
    }

    /// A service, and its log.
    func start() -> (DevServer, Ledger) {
        let ledger = Ledger()
        var configuration = DevServer.Configuration(autoApprove: true)
        configuration.signing = .es256
        configuration.rotation = rotation
        // As long as a whole run: what the service would take back, must never be lost.
        configuration.rotationGrace = 86_400
        configuration.report = { ledger.note($0) }
        do {
            return (try DevServer(configuration), ledger)
        } catch {
            stop(1, "the service does not start: \(error)")
        }
    }
}
