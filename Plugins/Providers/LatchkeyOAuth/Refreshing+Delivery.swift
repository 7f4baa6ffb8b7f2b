import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// How the request of a refresh finds the token endpoint.
extension Refreshing {
    /// Sends the request to the token endpoint that the document names.
    ///
    /// The document may be a day old. If what is at that address does not answer as this client's token endpoint, the
    /// document is asked for anew. If it names another endpoint by now, the request goes there, once: the address before
    /// was not the service's token endpoint any more, so nothing was spent at it. If it names the same one, nothing is
    /// sent again, since a service may take a token as used although it refuses the client.
    func deliver(
        _ grant: TokenGrant, _ metadata: ServerMetadata
    ) async throws -> (TransportRequest, TransportResponse) {
        let request = request(grant, metadata)
        let moved: ServerMetadata
        do {
            let response = try await context.send(request)
            guard response.contradictsTokenEndpoint, let new = await directory.moved(from: metadata) else {
                return (request, response)
            }
            moved = new
        } catch let error as TransportError where error.contradictsAddress {
            guard let new = await directory.moved(from: metadata) else { throw error }
            moved = new
        }
        let again = self.request(grant, moved)
        return (again, try await context.send(again))
    }

    private func request(_ grant: TokenGrant, _ metadata: ServerMetadata) -> TransportRequest {
        grant.request(
            to: metadata.tokenEndpoint, clientID: provider.clientID, authentication: provider.authentication(metadata),
            resource: want.audience.resource, extra: provider.tokenParameters)
    }
}

extension TransportResponse {
    /// Whether the address is not, or not any more, the token endpoint of this client.
    fileprivate var contradictsTokenEndpoint: Bool {
        if [404, 405, 410].contains(status) { return true }
        guard [400, 401].contains(status), let code = (try? JSON.parse(body))?[OAuthWire.error]?.string else {
            return false
        }
        return code == OAuthErrorCode.invalidClient.rawValue
    }
}

extension TransportError {
    /// Whether no server of that name was at the address. It says nothing if the network is gone.
    fileprivate var contradictsAddress: Bool {
        let causes: [Cause] = [.connectionRefused, .noSuchHost, .notTLS, .certificateForAnotherHost]
        return !wasSent && cause.map(causes.contains) ?? false
    }
}
