import COpenSSL
package import LatchkeySystem

/// The library behind this module, which is loaded when it is first used.
package enum CryptoLibrary {
    /// What is missing, if the library cannot be loaded; otherwise `nil`, and the library is loaded.
    ///
    /// Nothing of this module but ``Checksum``'s first bytes works without the library, and most of it cannot throw: it
    /// ends the program. So every plugin asks for this first, where it can throw an error that says what to install.
    package static let missing: MissingLibrary? =
        latchkey_openssl_load() != 0
        ? nil
        : MissingLibrary(
            String(cString: latchkey_openssl_library()), package: String(cString: latchkey_openssl_package()),
            refusal: latchkey_openssl_refusal())
}
