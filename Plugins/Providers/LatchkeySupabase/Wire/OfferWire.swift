import FoundationEssentials
import Latchkey
import LatchkeyJSON

/// A challenge of the service, for a further factor or a passkey.
protocol ServiceOffer {
    /// The end of the challenge, by the service's clock in UNIX seconds.
    var expiresAt: Int64? { get }
}

extension ServiceOffer {
    /// Returns how long the challenge can be answered, by the clock in the same answer, since this
    /// device's clock may be wrong.
    func lasts(_ response: TransportResponse, _ context: ProviderContext) -> Duration {
        let wall = context.world.clock.wall()
        let usual = Duration.seconds(300)
        guard let expiresAt, let offset = ServerClock.offset(response.fields, wall: wall) else { return usual }
        let left = Duration.seconds(Double(expiresAt) - wall.timeIntervalSince1970) - offset
        return min(max(left, .seconds(1)), usual * 2)
    }
}

/// A challenge for a factor.
struct FactorOffer: ServiceOffer, Sendable {
    var id: String
    var expiresAt: Int64?
    /// The options that a passkey must sign.
    var options: JSON?

    init(_ json: JSON) throws(JSONError) {
        id = try JSONField(json)["id"].string()
        expiresAt = json["expires_at"]?.integer
        options = json["webauthn"]?["credential_options"]?["publicKey"]
    }
}

/// A challenge for a passkey.
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
