/// Before step 4: what a refresh needs and what spends nothing is got while no mark says that a request is under way.
extension Lane {
    /// Lets the provider prepare, if the record says that a request may leave and that it needs a mark.
    ///
    /// - Returns: The record as it was read; `nil` if it was not. Perhaps with what the provider has got.
    func provide(for request: LaneRequest, _ open: OpenExchange) async -> Step<(found: Found?, got: (any Sendable)?)> {
        // Without such a provider nothing is read here. An error of the store is reported by step 2.
        guard services.prepares, request.demand != nil, let found = try? await read() else {
            return .go((nil, nil))
        }
        guard case .go(let ready) = judge(request, marks.known(found)), ready.replay != .fixed, let wish = ready.wish
        else { return .go((found, nil)) }
        do {
            return .go((found, try await prepared(ready.provider, ready.credential, wish, open)))
        } catch let unprepared as Unprepared {
            let sent = Sent(
                found: found, credential: ready.credential, begun: clock.now(), until: clock.now(), isMarked: false)
            await note(request.pause(unprepared.trouble, at: clock.stamp), sent)
            return .end(.trouble(unprepared.trouble, .notSent, found.record))
        } catch {
            return .end(.trouble(AuthError(error), .notSent, found.record))
        }
    }

    /// What the provider has got for a refresh of `credential`; `nil` if it has nothing to get.
    ///
    /// - Throws: ``Unprepared``.
    func prepared(
        _ provider: any AuthProvider, _ credential: Credential, _ wish: TokenWant, _ open: OpenExchange
    ) async throws -> (any Sendable)? {
        guard let provider = provider as? any RefreshPreparing else { return nil }
        let binding = provider.rules.binding
        let (plain, measured) = services.callContext(binding, until: clock.now() + settings.requestDeadline)
        let context = plain.within(open)
        do {
            let got = try await open.run { try await provider.prepareRefresh(of: credential, for: wish, in: context) }
            services.learn(measured, context, of: binding)
            return got
        } catch {
            guard !open.isGivenUp else { throw Unprepared(trouble: OpenExchange.stopped) }
            services.learn(measured, after: error, of: binding)
            throw Unprepared(trouble: measured.trouble(error, isUnsent: true, of: binding.provider))
        }
    }

    /// Why nothing could be prepared, and so nothing was sent.
    struct Unprepared: Error {
        var trouble: AuthError
    }
}

extension MeasuredTransport {
    /// What a caller is told of `error`.
    ///
    /// - Parameter isUnsent: Whether nothing that counts was sent.
    func trouble(_ error: any Error, isUnsent: Bool, of provider: ProviderID) -> AuthError {
        // The machine slept before anything was sent: that says nothing about the service.
        guard isUnsent, summary.isTooLate else { return AuthError(error, provider: provider) }
        return AuthError(.busy, "The time for the request was over before it was sent.")
    }
}
