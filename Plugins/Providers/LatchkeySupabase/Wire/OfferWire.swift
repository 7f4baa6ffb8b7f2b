import FoundationEssentials
import Latchkey
import LatchkeyJSON

/// A challenge of the service's: a further factor, or a passkey.
protocol ServiceOffer {
    /// Until when, by the service's clock in UNIX seconds.
    var expiresAt: Int64? { get }
}

extension ServiceOffer {
    /// How long it can be answered. By the clock that the same answer shows, since the one here may be wrong.
    func lasts(_ response: TransportResponse, _ context: ProviderContext) -> Duration {
        let wall = context.world.clock.wall()
        let usual = Duration.seconds(300)
        guard let expiresAt, let offset = ServerClock.offset(response.fields, wall: wall) else { return usual }
        let left = Duration.seconds(Double(expiresAt) - wall.timeIntervalSince1970) - offset
        return min(max(left, .seconds(1)), usual * 2)
    }
}

/// The service asks for a factor.
struct FactorOffer: ServiceOffer, Sendable {
    var id: String
    var expiresAt: Int64?
    /// What a passkey is to sign.
    var options: JSON?

    init(_ json: JSON) throws(JSONError) {
        id = try JSONField(json)["id"].string()
        expiresAt = json["expires_at"]?.integer
        options = json["webauthn"]?["credential_options"]?["publicKey"]
    }
}

/// The service asks for a passkey.
struct PasskeyOffer: ServiceOffer, Sendable {
    var id: String
    var expiresAt: Int64?
    var options: JSON

    init(_ json: JSON) throws(JSONError) {
        let record = JSONField(json)
        id = try record["challenge_id"].string()
        options = JSON.object(try record["options"].object())
        expiresAt = record["expires_at"].value?.integer
    }
}

extension SupabaseProvider.RelyingParty {
    var json: JSON { ["rpId": .string(id), "rpOrigins": .array(origins.map(JSON.string))] }
}
