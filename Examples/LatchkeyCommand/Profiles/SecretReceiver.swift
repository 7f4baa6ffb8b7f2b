/// Who gets a client's secret: the service, the client, and each endpoint that a profile names itself.
///
/// Every profile sees the same variable, and a service that is sent a secret knows it from then on. A profile therefore
/// remembers to whom the secret of the environment may go.
struct SecretReceiver: Hashable, Sendable {
    /// The issuer, the client's id, then the endpoints that are sent the secret.
    var parties: [String]
}
