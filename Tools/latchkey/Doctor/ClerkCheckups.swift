import Latchkey
import LatchkeyJSON

/// Checks a Clerk instance: whether it answers, and whether it accepts native programs.
struct ClerkCheckups {
    let service: ServiceCheckups

    func all() async throws -> [Checkup] {
        let begun = service.world.clock.now()
        let response: TransportResponse
        do {
            response = try await service.transport.send(
                TransportRequest("GET", service.profile.issuer + "/v1/environment?_is_native=true"),
                deadline: service.deadline)
        } catch let error as TransportError {
            return service.unreachable(error)
        }
        let took = service.world.clock.now() - begun
        let environment: JSON
        do { environment = try read(response) } catch {
            return [
                service.identity, .fail("discovery", error, profile: service.profile.name, service.texts),
            ]
        }
        return try await [service.identity, judge(environment), service.clock(response, took)]
            + service.keys.all(of: [service.profile.issuer])
    }

    private func read(_ response: TransportResponse) throws -> JSON {
        let provider = Composition.clerk
        let body = try? JSON.parse(response.body)
        switch response.status {
        case 200 where body?["auth_config"]?.object != nil: return body ?? .null
        case 400 where body?["errors"]?.array?.first?["code"]?.string == "native_api_disabled": return .null
        case 429: throw ToolError(.rateLimited, "doctor.tooMany", provider: provider)
        case 500...:
            throw ToolError(
                .serviceTrouble, "doctor.status", ["status": "\(response.status)"], provider: provider)
        default: throw ToolError(.configuration(.invalid), "doctor.instance.none", provider: provider)
        }
    }

    private func judge(_ environment: JSON) -> Checkup {
        let texts = service.texts
        if environment == .null || environment["auth_config"]?["native_settings"]?["api_enabled"]?.bool == false {
            return .warn(
                "discovery", texts("doctor.instance.native"), remedy: texts("doctor.instance.native.remedy"))
        }
        if environment["maintenance_mode"]?.bool == true {
            return .warn("discovery", texts("doctor.instance.closed"), remedy: texts("hint.later"))
        }
        return .ok("discovery", texts("doctor.instance.ok"))
    }
}
