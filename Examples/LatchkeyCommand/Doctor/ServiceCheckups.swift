import FoundationEssentials
import Latchkey
import LatchkeyOAuthCore

/// What there is to say about the service: whether it answers, who it is, what it offers, what time it has.
struct ServiceCheckups {
    let profile: Profile
    let world: PluginContext
    let transport: any HTTPTransport
    /// A clock that is further off than this is worth a word.
    private static let tolerance = Duration.seconds(5)
    /// How long one request may take.
    static let deadline = Duration.seconds(10)

    func all() async throws -> [Checkup] {
        if profile.service == .supabase { return try await SupabaseCheckups(service: self).all() }
        let addresses: [String]
        do throws(AuthError) { addresses = try Discovery.addresses(of: profile.issuer) } catch {
            return [.fail("discovery", error, profile: profile.name)]
        }
        var last: AuthError?
        for address in addresses {
            let begun = world.clock.now()
            let response: TransportResponse
            do {
                response = try await transport.send(TransportRequest("GET", address), deadline: Self.deadline)
            } catch let error as TransportError {
                return unreachable(error)
            }
            let took = world.clock.now() - begun
            do throws(AuthError) {
                let metadata = try read(response)
                return [identity, offers(metadata), clock(response, took)]
            } catch {
                last = last ?? error
            }
        }
        let error = last ?? AuthError(.configuration(.invalid), "The issuer has no discovery document.")
        return [identity, .fail("discovery", error, profile: profile.name)]
    }

    private func read(_ response: TransportResponse) throws(AuthError) -> ServerMetadata {
        switch response.status {
        case 200: return try ServerMetadata.read(response.body, issuer: profile.issuer)
        case 429: throw AuthError(.rateLimited, "The service wants fewer requests.")
        case 500...: throw AuthError(.serviceTrouble, "The service answers with status \(response.status).")
        default: throw AuthError(.configuration(.invalid), "The issuer has no discovery document.")
        }
    }

    /// Who it is that answers.
    var identity: Checkup {
        profile.issuer.hasPrefix("https:")
            ? .ok("tls", "TLS established that this is \(profile.issuer)")
            : .ok("tls", "\(profile.issuer) is on this machine, without TLS")
    }

    /// What an answer that did not come says.
    func unreachable(_ error: TransportError) -> [Checkup] {
        let name = profile.name
        switch error.code {
        case .tls:
            return [
                .fail(
                    "tls",
                    AuthError(.untrusted(.tls), "TLS could not establish that \(profile.issuer) is who answers."),
                    remedy: "Check the address, this machine's clock and its list of authorities; send nothing there",
                    profile: name)
            ]
        case .tooLarge:
            let error = AuthError(.untrusted(.malformed), "The discovery document is too large.")
            return [identity, .fail("discovery", error, profile: name)]
        case .invalidRequest:
            let error = AuthError(.configuration(.invalid), "The issuer's address cannot be used.")
            return [.fail("discovery", error, profile: name)]
        default:
            let error = AuthError(.offline(.unreachable), "\(profile.issuer) cannot be reached.")
            return [.fail("discovery", error, profile: name)]
        }
    }

    private func offers(_ metadata: ServerMetadata) -> Checkup {
        let missing = [
            ("a browser", metadata.authorizationEndpoint), ("a device code", metadata.deviceEndpoint),
        ].filter { $0.1 == nil }.map(\.0)
        let wanted = profile.method == .browser ? metadata.authorizationEndpoint : metadata.deviceEndpoint
        if wanted == nil {
            return .warn(
                "discovery", "The service offers no sign-in with \(missing.joined(separator: " or "))",
                remedy: "Sign in another way: latchkey login --profile \(profile.name)")
        }
        guard metadata.revocationEndpoint != nil else {
            return .warn(
                "discovery", "The service can be used, and offers no revocation: what it gave ends by itself",
                remedy: "Nothing needs doing; a sign-out here is good, and the service is not told")
        }
        return .ok("discovery", "The service offers sign-in, refresh and revocation")
    }

    /// What time the service has.
    func clock(_ response: TransportResponse, _ took: Duration) -> Checkup {
        guard let offset = ServerClock.offset(response.fields, wall: world.clock.wall(), roundTrip: took) else {
            return .ok("clock", "The service does not tell its time")
        }
        guard abs(offset.components.seconds) >= Self.tolerance.components.seconds else {
            return .ok("clock", "This machine and the service agree on the time")
        }
        let distance = Durations.describe(.seconds(abs(offset.components.seconds)))
        return .warn(
            "clock", "This machine's clock is \(distance) \(offset > .zero ? "behind" : "ahead of") the service's",
            remedy: "Nothing is lost by it; set the clock, or let the network set it")
    }
}
