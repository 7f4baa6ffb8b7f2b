import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// What the instance's environment says, as far as it changes what is sent. It is public, and the same for everybody.
struct InstanceSettings: Sendable {
    /// Whether tokens come from an edge, which wants the previous one.
    var mintsAtEdge = false
    /// The second factors that a person can set up: `totp`, `phone_code`.
    var secondFactors: Set<String> = ["totp"]

    /// The addresses of the terms and of the privacy policy, as far as the instance has them.
    var legalPlaces: [String] = []

    /// Reads an environment. What is not there has the usual value.
    init(_ environment: JSON = .null) {
        mintsAtEdge = environment["auth_config"]?["session_minter"]?.bool ?? false
        let display = environment["display_config"]
        legalPlaces = ["terms_url", "privacy_policy_url"].compactMap { display?[$0]?.string }.filter {
            WebAddress($0)?.isSecure == true
        }
        let attributes = environment["user_settings"]?["attributes"]
        func isOffered(_ name: String) -> Bool? {
            guard let attribute = attributes?[name] else { return nil }
            return attribute["enabled"]?.bool != false && attribute["used_for_second_factor"]?.bool == true
        }
        if isOffered("authenticator_app") == false { secondFactors.remove("totp") }
        if isOffered("phone_number") == true { secondFactors.insert("phone_code") }
    }
}

extension ClerkService {
    private static let lifetime = Duration.seconds(3_600)
    private var settingsAddress: String { "\(provider.base)/v1/environment" }

    /// Returns what the instance's environment says; the usual settings if it cannot be read now.
    ///
    /// - Throws: What a call throws that is given up.
    func settings() async throws -> InstanceSettings {
        let (context, address) = (context, settingsAddress)
        do {
            return try await context.cache.value("environment \(address)") { [self] in
                if let kept = await context.documents.read(address), let json = try? Self.environment(kept.body) {
                    return (InstanceSettings(json), fresh: min(Self.lifetime, kept.rest))
                }
                let body = try await environment()
                let json = try Self.environment(body)
                await context.documents.keep(body, from: address, for: Self.lifetime)
                return (InstanceSettings(json), fresh: Self.lifetime)
            }
        } catch {
            if error is CancellationError || Task.isCancelled { throw error }
            return InstanceSettings()
        }
    }

    /// Forgets what the environment said, because the service has contradicted it.
    func forgetSettings() async {
        await context.cache.forget("environment \(settingsAddress)")
        await context.documents.forget([settingsAddress])
    }

    private func environment() async throws -> [UInt8] {
        var request = TransportRequest(
            "GET", "\(settingsAddress)?_is_native=true", fields: ["Accept": "application/json"])
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
