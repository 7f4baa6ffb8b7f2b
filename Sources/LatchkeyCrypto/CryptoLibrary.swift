import COpenSSL
package import LatchkeySystem

/// The library behind this module, which is loaded when it is first used.
///
/// Most of this module cannot throw: without the library it ends the program. So a plugin asks for it first, in each call
/// that can throw, and an app is told which package to install.
public enum CryptoLibrary {
    /// Throws an error that names the library and the Debian package that has it, if it cannot be loaded. Let it pass on:
    /// the client makes `configuration(.invalid)` of it. A provider's refresh throws it within `NotSent`, since nothing has
    /// left: `NotSent(AuthError(.configuration(.invalid), "\(error)"))`.
    public static func require() throws {
        if let missing { throw missing }
    }

    /// What is missing, if the library cannot be loaded; otherwise `nil`, and the library is loaded.
    ///
    /// Nothing of this module but ``Checksum``'s first bytes works without the library.
    package static let missing: MissingLibrary? =
        latchkey_openssl_load() != 0
        ? nil
        : MissingLibrary(
            String(cString: latchkey_openssl_library()), package: String(cString: latchkey_openssl_package()),
            refusal: latchkey_openssl_refusal())
}
