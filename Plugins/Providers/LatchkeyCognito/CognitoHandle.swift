public import Latchkey

extension AuthClient {
    /// Returns a handle to a Cognito provider.
    ///
    /// - Parameter name: The provider's name; `nil` if the client has only one Cognito provider.
    public func cognito(_ name: ProviderID? = nil) throws(AuthError) -> CognitoHandle {
        CognitoHandle(client: self, provider: try provider(CognitoProvider.self, named: name))
    }
}

/// Signs in at a user pool with what it can do.
public struct CognitoHandle: ProviderHandle {
    /// The client.
    public let client: AuthClient
    /// The provider as it is configured.
    public let provider: CognitoProvider
}
