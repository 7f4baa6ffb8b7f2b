import FoundationEssentials
import Latchkey
import LatchkeyOAuthCore

/// Checks the service: whether it answers, who it is, what it offers, its clock, and its keys.
struct ServiceCheckups {
    let profile: Profile
    let world: PluginContext
    let texts: ToolTexts
    let transport: any HTTPTransport
    let keys: KeyCheckups
    /// How far the service's clock is ahead by what the profile's session has learnt; `nil` without one.
    var learnt: Duration?
    /// The difference between the clocks above which there is a warning.
    private static let tolerance = Duration.seconds(5)
    /// The longest time of one request, if the person names none.
    static let usualTime = Duration.seconds(10)
    /// The longest time of one request.
    var deadline = Self.usualTime

    func all() async throws -> [Checkup] {
        if profile.service == .supabase { return try await SupabaseCheckups(service: self).all() }
        if profile.service == .clerk { return try await ClerkCheckups(service: self).all() }
        if !profile.hasIssuer, let named = Composition.metadata(of: profile) {
            return try await [identity, offers(named)] + keys.all(of: named.requested)
        }
        let addresses: [String]
        do throws(AuthError) { addresses = try Discovery.addresses(of: profile.issuer) } catch {
            return [.fail("discovery", error, profile: profile.name, texts)]
        }
        var last: (any Error)?
        for address in addresses {
            let begun = world.clock.now()
            let response: TransportResponse
            do {
                response = try await transport.send(TransportRequest("GET", address), deadline: deadline)
            } catch let error as TransportError {
                return unreachable(error)
            }
            let took = world.clock.now() - begun
            let metadata: ServerMetadata
            do { metadata = try read(response) } catch {
                last = last ?? error
                continue
            }
            let known = Composition.metadata(of: profile, document: metadata) ?? metadata
            return try await [identity, offers(known), clock(response, took)]
                + keys.all(of: [profile.issuer] + known.requested)
        }
        if let named = Composition.metadata(of: profile) {
            return try await [identity, offers(named)] + keys.all(of: named.requested)
        }
        let error = last ?? ToolError(.configuration(.invalid), "doctor.noDocument")
        return [identity, .fail("discovery", error, profile: profile.name, texts)]
    }

    private func read(_ response: TransportResponse) throws -> ServerMetadata {
        switch response.status {
        case 200:
            return try ServerMetadata.read(
                response.body, issuer: profile.issuer, template: Composition.issuerTemplate(of: profile),
                needsTokenEndpoint: profile.endpoints[.token] == nil)
        case 429: throw ToolError(.rateLimited, "doctor.tooMany")
        case 500...: throw ToolError(.serviceTrouble, "doctor.status", ["status": "\(response.status)"])
        default: throw ToolError(.configuration(.invalid), "doctor.noDocument")
        }
    }

    /// Checks who answers.
    var identity: Checkup {
        profile.issuer.hasPrefix("https:")
            ? .ok("tls", texts("doctor.tls", issuer)) : .ok("tls", texts("doctor.loopback", issuer))
    }

    private var issuer: [String: String] { ["issuer": profile.issuer] }

    /// Returns the checks if no answer came.
    func unreachable(_ error: TransportError) -> [Checkup] {
        func failed(_ check: String, _ error: any Error) -> Checkup {
            .fail(check, error, profile: profile.name, texts)
        }
        var known = error
        known.origin = error.origin ?? WebAddress(profile.issuer)?.origin
        switch error.code {
        case .tooLarge:
            return [identity, failed("discovery", ToolError(.untrusted(.malformed), "doctor.documentLarge"))]
        case .invalidRequest:
            return [failed("discovery", ToolError(.configuration(.invalid), "doctor.address"))]
        default: return [failed(error.code == .tls ? "tls" : "discovery", AuthError(known))]
        }
    }

    private func offers(_ metadata: ServerMetadata) -> Checkup {
        let missing = [
            (texts("doctor.way.browser"), metadata.authorizationEndpoint),
            (texts("doctor.way.device"), metadata.deviceEndpoint),
        ].filter { $0.1 == nil }.map(\.0)
        let wanted = profile.method == .browser ? metadata.authorizationEndpoint : metadata.deviceEndpoint
        if wanted == nil {
            return .warn(
                "discovery", texts("doctor.noWay", ["ways": missing.joined(separator: texts("doctor.or"))]),
                remedy: otherWay)
        }
        guard metadata.revocationEndpoint != nil else {
            return .warn(
                "discovery", texts("doctor.noRevocation"), remedy: texts("doctor.noRevocation.remedy"))
        }
        return .ok("discovery", texts("doctor.offers"))
    }

    /// The remedy if the service does not offer the profile's way to sign in.
    var otherWay: String { texts("doctor.noWay.remedy", ["command": "latchkey login --profile \(profile.name)"]) }

    /// Compares the service's clock, and says where it was read.
    func clock(_ response: TransportResponse, _ took: Duration) -> Checkup {
        let told = ServerClock.offset(response.fields, wall: world.clock.wall(), roundTrip: took)
        guard let offset = told ?? learnt else { return .ok("clock", texts("doctor.noTime")) }
        guard abs(offset.components.seconds) >= Self.tolerance.components.seconds else {
            return .ok("clock", texts(told == nil ? "doctor.tokenTime" : "doctor.time"))
        }
        let distance = Durations.describe(.seconds(abs(offset.components.seconds)))
        let keys = told == nil ? ("doctor.tokenBehind", "doctor.tokenAhead") : ("doctor.behind", "doctor.ahead")
        return .warn(
            "clock", texts(offset > .zero ? keys.0 : keys.1, ["time": distance]), remedy: texts("doctor.clock.remedy"))
    }
}

extension ServerMetadata {
    /// The addresses that the client itself sends requests to.
    fileprivate var requested: [String?] {
        [tokenEndpoint, deviceEndpoint, revocationEndpoint, jwksURI, userinfoEndpoint]
    }
}
