/// A provider that can find mistakes in its configuration before anything is sent. The builder calls it.
public protocol ConfigurationChecking: AuthProvider {
    /// Returns if the configuration is valid.
    ///
    /// - Throws: ``AuthError`` `configuration(.invalid)`, saying what is wrong.
    func checkConfiguration() throws(AuthError)
}
