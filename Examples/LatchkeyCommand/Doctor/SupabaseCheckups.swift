import Latchkey
import LatchkeyJSON

/// What there is to say about a Supabase project: whether its service answers, takes the key, and what it offers.
struct SupabaseCheckups {
    let service: ServiceCheckups
    private static let paused = 540

    func all() async throws -> [Checkup] {
        let profile = service.profile
        let address = profile.issuer + "/auth/v1/settings"
        let begun = service.world.clock.now()
        let response: TransportResponse
        do {
            response = try await service.transport.send(
                TransportRequest("GET", address, fields: ["apikey": profile.clientID]),
                deadline: ServiceCheckups.deadline)
        } catch let error as TransportError {
            return service.unreachable(error)
        }
        let took = service.world.clock.now() - begun
        do throws(AuthError) {
            let offer = try read(response)
            return [service.identity, offers(offer), service.clock(response, took)]
        } catch {
            return [service.identity, .fail("discovery", error, profile: profile.name)]
        }
    }

    private func read(_ response: TransportResponse) throws(AuthError) -> JSON {
        let provider = Composition.supabase
        switch response.status {
        case 200:
            guard let settings = try? JSON.parse(response.body), settings["external"]?.object != nil else {
                throw AuthError(
                    .configuration(.invalid), "The project URL leads to something that is no Supabase Auth service.",
                    provider: provider)
            }
            return settings
        case 401, 403:
            throw AuthError(
                .configuration(.clientRefused), "The key is not accepted for this project.", provider: provider)
        case Self.paused: throw AuthError(.serviceTrouble, "The project is paused.", provider: provider)
        case 429: throw AuthError(.rateLimited, "The service wants fewer requests.", provider: provider)
        case 500...:
            throw AuthError(
                .serviceTrouble, "The service answers with status \(response.status).", provider: provider)
        default:
            throw AuthError(
                .configuration(.invalid), "The project URL leads to no Supabase Auth service.", provider: provider)
        }
    }

    private func offers(_ settings: JSON) -> Checkup {
        let external = settings["external"]?.object ?? [:]
        let offered = external.filter { $0.value.bool == true }.keys.sorted()
        let profile = service.profile
        let isMissing: Bool =
            switch profile.method {
            case .browser: profile.connection.map { external[$0]?.bool == false } ?? false
            case .link: external["email"]?.bool == false
            default: external["email"]?.bool == false && external["phone"]?.bool == false
            }
        if isMissing {
            return .warn(
                "discovery", "The project does not offer the way in which this profile signs in",
                remedy: "Sign in another way: latchkey login --profile \(profile.name)")
        }
        let closed = settings["disable_signup"]?.bool == true ? "; it takes no new accounts" : ""
        return .ok("discovery", "The project offers \(offered.joined(separator: ", "))\(closed)")
    }
}
