import CCurl
import Latchkey

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Translates libcurl's codes for the caller.
enum CurlFailure {
    /// - Parameters:
    ///   - words: libcurl's description of the failure.
    ///   - wasIssued: Whether libcurl had begun to write the request.
    static func code(_ code: CURLcode, words: @autoclosure () -> String, wasIssued: Bool) -> TransportError.Code {
        switch code {
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: wasIssued ? .interrupted : .invalidRequest
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: .pinMismatch
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_USE_SSL_FAILED, CURLE_SSL_ENGINE_INITFAILED:
            .tls
        case CURLE_SSL_CONNECT_ERROR: hungUpInHandshake(words()) ? .unreachable : .tls
        default: wasIssued ? .interrupted : .unreachable
        }
    }

    /// Whether the peer hung up during the handshake, which is more often a broken network than an impostor.
    /// libcurl has one code for both; OpenSSL's words tell them apart.
    private static func hungUpInHandshake(_ words: String) -> Bool {
        ["SSL_ERROR_SYSCALL", "unexpected eof", "Connection reset"].contains { words.contains($0) }
    }

    /// Returns what exactly went wrong; `nil` if libcurl does not say.
    ///
    /// - Parameters:
    ///   - host: The host of the address. libcurl's words name the proxy instead, if that is what cannot be reached.
    ///   - systemError: The system's error number of the connection.
    ///   - certificateError: OpenSSL's verdict on the certificate (`X509_V_ERR_…` of `openssl/x509_vfy.h`).
    ///   - proxyStatus: The status of the proxy's answer to `CONNECT`; 0 if there is none.
    static func cause(
        _ code: CURLcode, words: String, host: String, systemError: Int, certificateError: Int, proxyStatus: Int = 0
    ) -> TransportError.Cause? {
        switch code {
        case CURLE_RECV_ERROR, CURLE_COULDNT_CONNECT:
            if proxyStatus == 407 { return .proxyPassword }
            // What listens there answers by no HTTP, or hangs up.
            if proxyStatus >= 300 || words.contains("Proxy CONNECT aborted") { return .proxyRefused }
            return code == CURLE_COULDNT_CONNECT ? connecting(words: words, host: host, systemError) : nil
        case CURLE_COULDNT_RESOLVE_HOST: return .noSuchHost
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: return .proxy
        case CURLE_SSL_CONNECT_ERROR:
            return handshake(words)
        case CURLE_SSL_CACERT_BADFILE: return .authorityFile
        case CURLE_PEER_FAILED_VERIFICATION: return verdict(certificateError, words: words)
        default: return nil
        }
    }

    /// Whether the server wants a certificate of the client: the alert of TLS 1.3 that says nothing else (RFC 8446, section
    /// 6.2), in the words of OpenSSL and GnuTLS.
    static func demandsCertificate(_ words: String) -> Bool {
        ["alert certificate required", "Certificate is required"].contains { words.contains($0) }
    }

    /// What the TLS library says of a handshake that failed.
    private static func handshake(_ words: String) -> TransportError.Cause? {
        func says(_ parts: String...) -> Bool { parts.contains { words.contains($0) } }
        if demandsCertificate(words) { return .clientCertificateDemanded }
        if says("wrong version number", "packet length too long", "http request") { return .notTLS }
        return says("alert protocol version", "unsupported protocol", "unsupported version") ? .tlsTooOld : nil
    }

    private static func connecting(words: String, host: String, _ systemError: Int) -> TransportError.Cause? {
        guard words.lowercased().contains(" \(host) port ") else { return .proxy }
        return switch Int32(truncatingIfNeeded: systemError) {
        case ECONNREFUSED: .connectionRefused
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN: .noRoute
        default: nil
        }
    }

    private static func verdict(_ number: Int, words: String) -> TransportError.Cause? {
        switch number {
        case 10: .certificateExpired
        case 9: .certificateNotYetValid
        case 18: .certificateSelfSigned
        case 19, 20, 21: .certificateUntrusted
        case 62, 64: .certificateForAnotherHost
        // libcurl compares the names by itself, before it asks for OpenSSL's verdict.
        default: words.contains("subject name") ? .certificateForAnotherHost : nil
        }
    }
}
