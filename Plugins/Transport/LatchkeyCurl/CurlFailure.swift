import CCurl
import Latchkey

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
}
