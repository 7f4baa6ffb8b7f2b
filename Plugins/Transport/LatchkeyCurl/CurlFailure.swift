import CCurl
import Latchkey

/// What libcurl's codes mean for whoever asked.
enum CurlFailure {
    /// - Parameters:
    ///   - words: What libcurl says of it.
    ///   - wasIssued: Whether it had begun to write the request.
    static func code(_ code: CURLcode, words: @autoclosure () -> String, wasIssued: Bool) -> TransportError.Code {
        switch code {
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: wasIssued ? .interrupted : .invalidRequest
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_USE_SSL_FAILED, CURLE_SSL_ENGINE_INITFAILED:
            .tls
        case CURLE_SSL_CONNECT_ERROR: hungUpInHandshake(words()) ? .unreachable : .tls
        default: wasIssued ? .interrupted : .unreachable
        }
    }

    /// A peer that hangs up during the handshake is a broken network more often than an impostor; libcurl has one
    /// code for both, and OpenSSL's words tell them apart.
    private static func hungUpInHandshake(_ words: String) -> Bool {
        ["SSL_ERROR_SYSCALL", "unexpected eof", "Connection reset"].contains { words.contains($0) }
    }
}
