import CCurl
import Latchkey
import LatchkeyCrypto

/// The server's key: compared by libcurl where pins are enforced, and here where they are only reported.
///
/// libcurl keeps a connection that was opened with pins apart from all that were opened with others or none, so a kept
/// connection needs no comparison of its own.
extension CurlHandle {
    /// Tells the observer of a key that is not pinned. Where pins are only reported, that is once per connection,
    /// because the certificate is known only to the request that opened it.
    func noteKey(_ code: CURLcode) {
        guard let transfer, let pins = transfer.pins else { return }
        let host = transfer.head.target.host
        switch pins.mode {
        case .enforce:
            guard code == CURLE_SSL_PINNEDPUBKEYNOTMATCH else { return }
            settings.observer.observe(.pins(host: host, .refused, seen: key()))
        case .reportOnly:
            guard let key = key(), !pins.contains(key) else { return }
            settings.observer.observe(.pins(host: host, .reported, seen: key))
        }
    }

    /// Returns the key in the certificate of the connection that the request opened; `nil` if it opened none.
    func key() -> PublicKeyPin? {
        guard let pem = shim_curl_certificate(easy) else { return nil }
        do {
            return try PublicKeyPin(digest: CertificateKey.digest(pem: String(cString: pem)))
        } catch {
            return nil
        }
    }
}

extension CurlTransfer {
    /// Whether the handle must ask libcurl for the server's certificate.
    var wantsKey: Bool { isLook || pins != nil }
}

extension HostPins {
    /// The pins as libcurl reads them. It would take an unreadable text, and then refuse every key.
    var curlText: String { (pins + backups).map { "sha256//\($0.base64)" }.joined(separator: ";") }
}
