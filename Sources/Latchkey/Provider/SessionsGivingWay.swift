/// A provider at whose service a sign-in may name no person. Then the account is the service itself
/// (``AccountID/init(unnamedAt:)``), and the next sign-in takes its place.
///
/// | Case | Required behaviour |
/// | --- | --- |
/// | ``givesWay(_:to:)`` is `true` | once `new` is stored, the engine signs `earlier` out, and tells the service |
public protocol SessionsGivingWay: AuthProvider {
    /// Whether `earlier`, the session of another account of this provider without a label, ends because `new` has been
    /// stored.
    func givesWay(_ earlier: AuthSession, to new: AuthSession) -> Bool
}
