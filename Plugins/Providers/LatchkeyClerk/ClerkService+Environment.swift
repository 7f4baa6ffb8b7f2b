import Latchkey
import LatchkeyJSON

extension ClerkService {
    private static let lifetime = Duration.seconds(3_600)
    private var environmentAddress: String { "\(provider.base)/v1/environment" }

    /// Returns the instance's environment; the usual one if it cannot be read now.
    ///
    /// - Throws: What a call throws that is given up.
    func environment() async throws -> ClerkEnvironment {
        let (context, address) = (context, environmentAddress)
        do {
            return try await context.cache.value("environment \(address)") { [self] in
                if let kept = await context.documents.read(address), let json = try? Self.environment(kept.body) {
                    return (ClerkEnvironment(json), fresh: min(Self.lifetime, kept.rest))
                }
                let body = try await document()
                let json = try Self.environment(body)
                await context.documents.keep(body, from: address, for: Self.lifetime)
                return (ClerkEnvironment(json), fresh: Self.lifetime)
            }
        } catch {
            if error is CancellationError || Task.isCancelled { throw error }
            return ClerkEnvironment(.null)
        }
    }

    /// Forgets what the environment said, because the service has contradicted it.
    func forgetEnvironment() async {
        await context.cache.forget("environment \(environmentAddress)")
        await context.documents.forget([environmentAddress])
    }

    private func document() async throws -> [UInt8] {
        var request = TransportRequest(
            "GET", "\(environmentAddress)?_is_native=true", fields: ["Accept": "application/json"])
        request.fields["clerk-api-version"] = Self.version
        let response = try await context.lookUp(request, isOptional: true)
        guard response.status == 200 else { throw provider.error(.serviceTrouble, "The environment cannot be read.") }
        return response.body
    }

    private static func environment(_ body: [UInt8]) throws -> JSON {
        let json = try JSON.parse(body, limits: JSONLimits(bytes: 8 << 20, depth: 64))
        // Some proxies put it in an envelope, as everything else has one.
        return json["auth_config"] == nil ? json["response"] ?? json : json
    }
}
