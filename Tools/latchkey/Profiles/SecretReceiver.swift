/// The parties that may get a client's secret: the service, the client, and each endpoint that a profile names itself.
///
/// All profiles read the same variable. So a profile remembers which parties its secret is for, and sends it to no other.
struct SecretReceiver: Hashable, Sendable {
    /// The issuer, the client's id, then the endpoints that are sent the secret.
    var parties: [String]
}
