import FoundationEssentials
import Latchkey
import LatchkeyOAuthCore

/// Signing in with another device (RFC 8628).
extension Conversation {
    /// The longest wait after a failed poll; the service's own interval may be longer.
    static let longestBackoff = Duration.seconds(60)

    /// Asks for a code.
    func device(_ options: SignInOptions) async throws -> Turn {
        let metadata = try await directory.metadata()
        guard let endpoint = metadata.deviceEndpoint else {
            throw provider.lacks("device authorization endpoint", OAuthWire.deviceEndpoint, metadata)
        }
        let scopes = try scopes(options, metadata)
        try directory.checkKeyAddress(metadata, for: scopes)
        let resources = try resources(options)
        func send(_ pkce: ProofKey?) async throws -> (TransportRequest, TransportResponse, ProofKey?) {
            let request = DeviceAuthorization.request(
                scopes: scopes, resources: resources, pkce: pkce, to: endpoint, clientID: provider.clientID,
                authentication: provider.authentication(metadata), extra: provider.tokenParameters)
            return (request, try await context.lookUp(request), pkce)
        }
        let isListed = metadata.challengeMethods?.contains(ProofKey.method) ?? false
        var (request, response, pkce) = try await send(isListed ? try proofKey() : nil)
        // Nothing is spent by this request, so it may be sent again.
        if pkce == nil, DeviceAuthorization.wantsProofKey(response) {
            (request, response, pkce) = try await send(try proofKey())
        }
        let code: DeviceAuthorization
        do throws(AuthError) {
            code = try DeviceAuthorization.judge(response, from: request.url, now: context.serverNow)
        } catch {
            throw provider.named(error).naming(ownScopes: choosesScopes(options) ? scopes : [])
                .saying(ServiceText(response, to: request, by: provider.authentication))
        }
        var state = DeviceState(
            deviceCode: code.deviceCode, verifier: pkce?.verifier, interval: code.interval, scopes: scopes,
            resources: resources, first: firstAudience(options, resources))
        state.person = options.expectedPerson
        let device = Ask.Device(
            userCode: code.userCode, at: code.verificationURI, complete: code.completeURI, interval: code.interval)
        return .asked(
            Challenge(
                id: context.world.randomName(), binding: provider.binding, ask: .device(device),
                expiresAt: context.serverNow.addingTimeInterval(code.expiresIn.inSeconds), state: state.json))
    }

    /// Polls once. A fault on the way, or at the service, only makes the next wait longer. But the poll whose answer is lost
    /// may have been the one that brings the tokens: a refusal after it says so.
    func polled(_ challenge: Challenge, _ device: Ask.Device) async throws -> Turn {
        var state = try DeviceState(challenge.state)
        let metadata: ServerMetadata
        let request: TransportRequest
        let response: TransportResponse
        do {
            metadata = try await directory.metadata()
            // Before the poll that may bring the tokens, which can be had only once.
            if state.scopes.contains(OAuthWire.Scope.openid) { try directory.demandKeys(metadata) }
            request = poll(state, metadata)
        } catch {
            guard error.isTransient else { throw error }
            return again(challenge, device, state, after: backoff(device, (error as? AuthError)?.retryAfter))
        }
        do { response = try await context.send(request) } catch {
            guard error.isTransient else { throw error }
            state.hasLostAnswer = state.hasLostAnswer || (error as? TransportError)?.wasSent == true
            return again(challenge, device, state, after: backoff(device, (error as? AuthError)?.retryAfter))
        }
        let poll = DevicePoll.judge(
            response, members: provider.errorMembers, from: request.url, now: context.serverNow)
        state.strays = poll.isElsewhere ? state.strays + 1 : 0
        switch poll {
        case .elsewhere(let answer, let retryAfter):
            guard state.strays < DeviceState.mostStrays else {
                throw AuthError(answer, provider: provider.name, retryAfter: retryAfter)
            }
            return again(challenge, device, state, after: backoff(device, retryAfter))
        case .pending:
            // The service still waits for the person, so nothing was spent.
            state.hasLostAnswer = false
            return again(challenge, device, state, after: state.interval)
        case .slowDown:
            state.hasLostAnswer = false
            state.interval = state.interval + DevicePoll.slowDownStep
            return again(challenge, device, state, after: state.interval)
        case .transient(let retryAfter):
            // A gateway that got no answer in time, or a service that failed, perhaps after it had acted.
            state.hasLostAnswer = state.hasLostAnswer || response.status >= 500
            return again(challenge, device, state, after: backoff(device, retryAfter))
        case .tokens(let tokens):
            return try await judging(response) {
                var demand = SignInDemand(scopes: state.scopes, resources: state.resources, first: state.first)
                demand.person = state.person.map(ExpectedPerson.init)
                return try await signedIn(tokens, response, metadata, demand)
            }
        case .denied:
            throw AuthError(.declined, "The person said no on the other device.", provider: provider.name)
                .saying(text(response, request))
        case .expired where state.hasLostAnswer:
            let error = AuthError(
                .refused(.expired), "The device code is too old, or was used.", provider: provider.name)
            throw error.afterLostPoll
        case .expired:
            throw AuthError(
                .refused(.expired), "The device code is too old: it was not approved in time.",
                provider: provider.name)
        case .stopped(let failure):
            giveBack(response)
            let error = provider.named(failure.authError(for: .device)).saying(text(response, request))
            throw state.hasLostAnswer && failure.isAboutCode ? error.afterLostPoll : error
        }
    }

    private func poll(_ state: DeviceState, _ metadata: ServerMetadata) -> TransportRequest {
        TokenGrant.device(state.deviceCode, verifier: state.verifier).request(
            to: metadata.tokenEndpoint, clientID: provider.clientID, authentication: provider.authentication(metadata),
            resource: state.first.audience.resource, extra: provider.tokenParameters)
    }

    private func text(_ response: TransportResponse, _ request: TransportRequest) -> ServiceText? {
        ServiceText(response, to: request, by: provider.authentication)
    }

    /// Twice the last wait (section 3.5), or what the service asks for if that is longer.
    private func backoff(_ device: Ask.Device, _ retryAfter: Duration?) -> Duration {
        let doubled = max(min(device.interval * 2, Self.longestBackoff), device.interval)
        return max(doubled, min(retryAfter ?? .zero, DeviceAuthorization.longestInterval))
    }

    private func again(
        _ challenge: Challenge, _ device: Ask.Device, _ state: DeviceState, after wait: Duration
    ) -> Turn {
        var challenge = challenge
        var device = device
        device.interval = wait
        challenge.ask = .device(device)
        challenge.state = state.json
        return .asked(challenge)
    }
}

extension TokenFailure {
    /// Whether the service may mean that it does not know the code, or not any longer: not each says so by `invalid_grant`.
    fileprivate var isAboutCode: Bool {
        switch self {
        case .definiteRefusal, .unexplainedRefusal, .requestRefused: true
        default: false
        }
    }
}

extension DevicePoll {
    fileprivate var isElsewhere: Bool {
        if case .elsewhere = self { true } else { false }
    }
}

extension AuthError {
    /// The error after a poll whose answer is lost.
    fileprivate var afterLostPoll: AuthError {
        var error = self
        error.isAnswerLost = true
        error.message += " The answer to an earlier poll is lost, so the approval may be spent: begin anew."
        return error
    }
}
