import CCurl
import Latchkey

/// libcurl itself. It is loaded for the first request and not with the program, because it brings about thirty other
/// libraries along, and a program that finds a valid token in its store needs none of them.
enum CurlLibrary {
    /// Loads libcurl, unless it is loaded. Everything of `CCurl` but constants and types needs this first.
    ///
    /// - Throws: `libraryMissing` if it is not installed or cannot be loaded.
    static func need() throws(TransportError) {
        guard shim_curl_load() == 0 else { return }
        var error = TransportError(.libraryMissing, wasSent: false)
        error.refusal = shim_curl_refusal().map { String(cString: $0) }
        throw error
    }
}
