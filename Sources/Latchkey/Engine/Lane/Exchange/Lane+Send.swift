import FoundationEssentials
import LatchkeySystem

/// Sends requests, and tells what came back.
extension Lane {
    /// Step 5.
    ///
    /// - Parameters:
    ///   - callers: What the waiting callers demand, who are sent away when their patience
    ///   ends; `nil` if none are.
    ///   - open: The exchange that the request is a part of; `nil` if its answer may be lost.
    ///   - meanwhile: What is asked while the answer is waited for; `nil` if nothing is.
    func send(
        _ sent: inout Sent, _ provider: any AuthProvider, _ callers: Demand?, _ open: OpenExchange?,
        _ work: @escaping LaneRequest.Work, meanwhile: Meanwhile? = nil
    ) async -> Reply {
        let marked = sent
        let carried = Locked<Secret?>(nil)
        let kept = Locked<Kept?>(nil)
        let reply = await attend(&sent, callers, meanwhile) {
            await self.deliver(marked, provider, carried, kept, open, work)
        }
        if let kept = kept.withLock({ $0 }) { return concluding(reply, kept, &sent) }
        guard case .answered(var answer) = reply else {
            if provider.rules.replay == .fixed, let token = carried.withLock({ $0 }) { await adopt(token, &sent) }
            return reply
        }
        answer.sent = sent
        return .answered(answer)
    }

    func deliver(
        _ sent: Sent, _ provider: any AuthProvider, _ carried: Locked<Secret?>, _ kept: Locked<Kept?>,
        _ open: OpenExchange?, _ work: LaneRequest.Work
    ) async -> Reply {
        let binding = provider.rules.binding
        let (plain, measured) = services.callContext(
            binding, until: sent.until, deadline: sent.until - clock.now())
        var context = open.map(plain.within) ?? plain
        context.storing = keeper(sent, provider, kept)
        let begun = clock.now()
        if let open, !open.noteBegun(at: binding.authority) { return .notSent(OpenExchange.stopped) }
        defer {
            carried.withLock { $0 = context.carriedToken }
            open?.noteAnswered()
        }
        do {
            var change = try await work(sent.credential, context).counted(from: begun, in: clock.boot)
            if provider.rules.replay == .fixed, change.refreshToken == nil {
                change.refreshToken = context.carriedToken
            }
            let offset = services.learn(measured, context, of: binding)
            return .answered(Answered(change: change, sent: sent, offset: offset, refreshTokenID: fresh()))
        } catch let refusal as Refusal where refusal.kind == .definite {
            return .refused(refusal, offset: services.learn(measured, of: binding))
        } catch {
            if let kept = rotated(sent, provider, context, measured, error) { return .answered(kept) }
            if let refusal = error as? Refusal {
                return .refused(refusal, offset: services.learn(measured, of: binding))
            }
            services.learn(measured, after: error, of: binding)
            // Only the provider can tell: it may use a channel of its own.
            let isUnsent = error is NotSent || (error as? TransportError)?.wasSent == false
            let trouble = measured.trouble(error, isUnsent: isUnsent, of: binding.provider)
            return isUnsent ? .notSent(trouble) : .unknown(trouble)
        }
    }

    /// The refresh token of an answer that the provider judged to be wrong otherwise. The one that was sent is spent, so
    /// this one is stored, whatever `error` says of the rest.
    private func rotated(
        _ sent: Sent, _ provider: any AuthProvider, _ context: ProviderContext, _ measured: MeasuredTransport,
        _ error: any Error
    ) -> Answered? {
        guard provider.rules.replay != .fixed, let token = context.carriedToken,
            token != sent.credential.refreshToken
        else { return nil }
        let binding = provider.rules.binding
        let offset = services.learn(measured, context, after: error, of: binding)
        return Answered(
            change: CredentialChange(refreshToken: token), sent: sent, offset: offset, refreshTokenID: fresh(),
            trouble: AuthError(error, provider: binding.provider))
    }
}
