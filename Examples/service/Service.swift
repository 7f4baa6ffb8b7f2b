import FoundationEssentials
import Latchkey
import LatchkeyCurl
import LatchkeyOAuth
import LatchkeyOAuthCore

/// A program that signs in as itself and calls a protected resource.
///
///     SERVICE_SECRET=… service https://id.example.com reports https://api.example.com/reports
@main
struct Service {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 4, let secret = ProcessInfo.processInfo.environment["SERVICE_SECRET"] else {
            print("usage: SERVICE_SECRET=… service ISSUER CLIENT_ID RESOURCE_URL")
            return
        }
        let transport = CurlTransport()
        let auth = try AuthClient.Builder()
            .provider(
                .oauthService(issuer: words[1], clientID: words[2], authentication: .basic(Secret(secret)))
            )
            .transport(transport)
            .build()
        do {
            _ = try await auth.oauth().signIn(.clientCredentials)
            // Each request has a valid token, which is refreshed before it expires, and when the resource refuses
            // it.
            let api = try auth.authorized(transport, origins: [WebAddress(words[3])?.origin ?? words[3]])
            let response = try await api.send(TransportRequest("GET", words[3]), deadline: .seconds(10))
            print("The resource answered \(response.status) with \(response.body.count) bytes.")
        } catch let error as AuthError {
            print("Failed: \(error.message) (what to do: \(error.recovery.rawValue))")
        }
        // If a refresh is still under way, its answer is awaited and stored.
        await auth.finish()
    }
}
