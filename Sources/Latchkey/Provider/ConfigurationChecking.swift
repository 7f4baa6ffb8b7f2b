/// A provider or an unlock that can find mistakes in its configuration before anything is sent. The builder calls it.
public protocol ConfigurationChecking: Sendable {
    /// Checks the configuration.
    ///
    /// - Throws: ``AuthError`` `configuration(.invalid)`, saying what is wrong.
    func checkConfiguration() throws(AuthError)
}
