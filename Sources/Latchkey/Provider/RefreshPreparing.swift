/// A provider whose refresh needs something that can be had before its request: a document of the service, or a check
/// of what is configured.
///
/// The engine notes in the store that a request may be under way (its mark) before it calls
/// ``AuthProvider/refresh(_:for:in:)``. If the program dies between the two, the next one has to wait for a request that
/// never left. So what takes time and spends nothing belongs in ``prepareRefresh(of:for:in:)``, which is called before
/// the mark is made.
///
/// | Case | What happens |
/// | --- | --- |
/// | It returns | the mark is made, and ``AuthProvider/refresh(_:for:in:)`` gets the result as ``ProviderContext/prepared`` |
/// | It throws | no mark is made and nothing is sent; the caller gets the access token while it lasts, else the error |
/// | The program is told to end | the call is cancelled; no mark is made and nothing is sent |
/// | A refresh that needs no mark (``ProviderRules/RefreshRule/fixed``, ``ProviderRules/RefreshRule/mints``) | it is not called |
///
/// The record may change before the mark is made. Then the refresh gets the newer credential, with what was prepared for
/// the older one. So return what belongs to the service, and nothing of the credential.
public protocol RefreshPreparing: AuthProvider {
    /// Gets what a refresh needs, by requests that spend nothing (``ProviderContext/lookUp(_:isOptional:)``).
    ///
    /// It is called with the session's lock held, and must end within the usual time of a request: later requests are
    /// not sent.
    ///
    /// - Returns: What the refresh gets as ``ProviderContext/prepared``; `nil` if there is nothing to pass on.
    /// - Throws: What ``AuthProvider/refresh(_:for:in:)`` would throw, if nothing was sent.
    func prepareRefresh(
        of credential: Credential, for want: TokenWant, in context: ProviderContext
    ) async throws -> (any Sendable)?
}
