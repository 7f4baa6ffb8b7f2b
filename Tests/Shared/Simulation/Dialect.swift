package import Latchkey
package import LatchkeyTesting

/// The language in which clients and the simulated service speak: which provider the clients have, and what its requests
/// are to the service.
package protocol Dialect: Sendable {
    /// What the clients sign in with. Its service is of the scenario's kind.
    var provider: any AuthProvider { get }

    /// `inner` carries the simulation's own requests; what is returned takes the provider's.
    func transport(over inner: any HTTPTransport, to service: SimulatedService) -> any HTTPTransport

    /// Proves a second factor.
    func verify(_ account: AccountID, with client: AuthClient) async throws

    /// Takes over the session that another client of the person's has this refresh token of.
    func adopt(_ refresh: String, of person: String, with client: AuthClient) async throws

    /// What the service wants besides ends, as every other trouble does at the end of a history.
    func settle()

    /// Over what codes are sent.
    var channel: DeliveryChannel { get }

    /// Whether requests say which refresh token they are about, so that the trace of the lane can be followed.
    var isTraced: Bool { get }
}

extension Dialect {
    package func settle() {}
}

/// The simulation's own language.
package struct PlainDialect: Dialect {
    private let simulated: SimulatedProvider

    init(_ scenario: Scenario) {
        simulated = SimulatedProvider(
            scenario.kind, reuseInterval: scenario.reuseInterval, revocationEndsEveryGrant: scenario.endsEveryGrant,
            sharesSessions: scenario.sharesSessions)
    }

    package var provider: any AuthProvider { simulated }
    package var channel: DeliveryChannel { .mail }
    /// The trace knows one login for each credential.
    package var isTraced: Bool { !simulated.rules.sharesCredential }

    package func transport(over inner: any HTTPTransport, to service: SimulatedService) -> any HTTPTransport { inner }

    package func verify(_ account: AccountID, with client: AuthClient) async throws {
        guard simulated.rules.revocationEndsEveryGrant else {
            _ = try await client.begin(
                .stepUp(StepUp(), account: account), with: simulated.rules.binding.provider)
            return
        }
        let replay: ProviderRules.RefreshRule = simulated.rules.replay == .fixed ? .fixed : .killsFamily
        _ = try await client.perform(on: account, replay: replay, shown: SimulatedProvider.shown) {
            [simulated] credential, context in
            try await simulated.verify(credential, in: context)
        }
    }

    package func adopt(_ refresh: String, of person: String, with client: AuthClient) async throws {
        let ticket = SimulatedProvider.ticket(refresh, of: person)
        let session = try await client.signIn(with: simulated.rules.binding.provider, .ticket(ticket))
        _ = try await client.accessToken(of: session.account)
    }
}

/// What a history's clients and service may speak.
package enum Language: String, CaseIterable, Sendable {
    case plain, supabase, clerk

    func history(_ plan: Plan, schedule: UInt64, tells: Bool) -> History {
        var plan = plan
        switch self {
        case .plain: return History(plan, schedule: schedule, tells: tells)
        case .supabase:
            // There is one service of the name, whatever was drawn.
            plan.scenario.kind = .sameSuccessor
            (plan.scenario.endsEveryGrant, plan.scenario.sharesSessions) = (false, false)
            plan.scenario.reuse = plan.scenario.reuse ?? 10
            let dialect = GoTrueDialect(reuseInterval: plan.scenario.reuseInterval)
            return History(plan, schedule: schedule, dialect: dialect, tells: tells)
        case .clerk:
            plan.scenario.kind = .shares
            (plan.scenario.endsEveryGrant, plan.scenario.sharesSessions) = (false, false)
            plan.scenario.reuse = nil
            return History(plan, schedule: schedule, dialect: ClerkDialect(schedule: schedule), tells: tells)
        }
    }
}
