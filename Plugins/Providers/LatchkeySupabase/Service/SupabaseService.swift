import FoundationEssentials
package import Latchkey
package import LatchkeyJSON
import LatchkeyOAuthCore

/// The service over HTTP: what every request carries, and which answers are failures.
package struct SupabaseService: Sendable {
    let provider: SupabaseProvider
    let context: ProviderContext

    package init(provider: SupabaseProvider, context: ProviderContext) {
        self.provider = provider
        self.context = context
    }

    /// Sends a request once.
    ///
    /// - Throws: ``SupabaseFailure`` for every status that is not a success;
    ///   ``/Latchkey/TransportError``; `serviceTrouble` for a success that does not come from the
    ///   service: something in front of it, such as a captive portal, may answer 200 with a page.
    package func send(_ request: ServiceRequest) async throws -> TransportResponse {
        let response = try await context.send(request.message(to: provider))
        guard (200...299).contains(response.status) else {
            let answer = ErrorAnswer(response)
            // The service drops fractions of a second.
            let wait = answer.seconds.map { Duration.seconds($0 + 1) }
            throw SupabaseFailure(
                answer: answer, retryAfter: RetryAfter.read(response.fields, now: context.serverNow) ?? wait)
        }
        let first = response.body.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard first.map({ $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }) ?? true else {
            throw AuthError(
                .serviceTrouble, "Something before the service answered HTTP \(response.status) with a page.",
                provider: provider.name)
        }
        return response
    }

    /// Sends a request and returns the answer's JSON.
    func json(_ request: ServiceRequest) async throws -> JSON { try read(await send(request)) { $0 } }

    /// Sends a request and returns the session in the answer.
    ///
    /// - Parameter isRotation: Whether the answer replaces the refresh token of a session that is signed in. Then the
    ///   new one is kept, whatever is wrong with the rest of the answer.
    func session(_ request: ServiceRequest, isRotation: Bool = false) async throws -> SessionAnswer {
        let response = try await send(request)
        if isRotation, let rotated = TokenAnswer.rotatedToken(response) { context.carry(rotated) }
        return try read(response, SessionAnswer.init)
    }

    /// Reads an answer. The error names what is missing.
    package func read<Value>(
        _ response: TransportResponse, _ make: (JSON) throws(JSONError) -> Value
    ) throws(AuthError) -> Value {
        do throws(JSONError) {
            return try make(JSON.parse(response.body))
        } catch {
            throw AuthError(.untrusted(.malformed), "The answer cannot be used: \(error).", provider: provider.name)
        }
    }
}

extension SupabaseProvider {
    /// Runs `work` and turns the service's failures into errors for the app.
    func worded<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let failure as SupabaseFailure {
            throw failure.authError(name)
        }
    }
}
