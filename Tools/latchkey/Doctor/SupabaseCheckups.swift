import Latchkey
import LatchkeyJSON
import LatchkeySupabase

/// Checks a Supabase project: whether its service answers, accepts the key, and what it offers.
struct SupabaseCheckups {
    let service: ServiceCheckups
    private static let paused = 540

    func all() async throws -> [Checkup] {
        let profile = service.profile
        let address = profile.issuer + "/auth/v1/settings"
        let begun = service.world.clock.now()
        let request = TransportRequest("GET", address, fields: ["apikey": profile.clientID])
        let response: TransportResponse
        do {
            response = try await service.transport.send(request, deadline: service.deadline)
        } catch let error as TransportError {
            return service.unreachable(error)
        }
        let took = service.world.clock.now() - begun
        let offer: JSON
        do { offer = try read(response, to: request) } catch {
            return [service.identity, .fail("discovery", error, profile: profile.name, service.texts)]
        }
        return try await [service.identity, offers(offer), service.clock(response, took)]
            + service.keys.all(of: [service.profile.issuer])
    }

    private func read(_ response: TransportResponse, to request: TransportRequest) throws -> JSON {
        let provider = Composition.supabase
        switch response.status {
        case 200:
            guard let settings = try? JSON.parse(response.body), settings["external"]?.object != nil else {
                throw ToolError(.configuration(.invalid), "doctor.project.other", provider: provider)
            }
            return settings
        case 401, 403:
            // What a sign-in and a refresh say about the same answer.
            throw SupabaseProvider(authURL: service.profile.issuer + "/auth/v1", publishableKey: nil, named: provider)
                .problem(response, to: request)
        case Self.paused: throw ToolError(.serviceTrouble, "doctor.project.paused", provider: provider)
        case 429: throw ToolError(.rateLimited, "doctor.tooMany", provider: provider)
        case 500...:
            throw ToolError(
                .serviceTrouble, "doctor.status", ["status": "\(response.status)"], provider: provider)
        default:
            throw ToolError(.configuration(.invalid), "doctor.project.none", provider: provider)
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
            return .warn("discovery", service.texts("doctor.project.way"), remedy: service.otherWay)
        }
        let key = settings["disable_signup"]?.bool == true ? "doctor.project.closed" : "doctor.project.offers"
        return .ok("discovery", service.texts(key, ["ways": offered.joined(separator: ", ")]))
    }
}
