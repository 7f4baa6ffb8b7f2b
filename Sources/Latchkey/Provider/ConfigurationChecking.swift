/// A provider that can tell a wrong configuration before anything is sent. The builder asks it.
public protocol ConfigurationChecking: AuthProvider {
    /// Returns when the configuration is sound.
    ///
    /// - Throws: ``AuthError`` `configuration(.invalid)`, naming what is wrong.
    func checkConfiguration() throws(AuthError)
}
