import CCurl
import FoundationEssentials
import Latchkey

/// What a failure was, in the words of ``/Latchkey/TransportError``.
extension CurlHandle {
    /// The most hosts of a certificate that a message names.
    private static let hostsCap: Int32 = 3

    /// Returns the error for libcurl's code. Call it while the handle still has the request.
    func error(_ code: CURLcode, words: String, wasIssued: Bool) -> TransportError {
        var error = TransportError(CurlFailure.code(code, words: words, wasIssued: wasIssued), wasSent: wasIssued)
        // Once the request is under way, the rest only says how the connection began.
        guard !wasIssued, let target = transfer?.head.target else {
            // A server of TLS 1.3 says so after its client has begun to write, and reads nothing of that.
            guard wasIssued, CurlFailure.demandsCertificate(words) else { return error }
            return TransportError(.tls, wasSent: false, cause: .clientCertificateDemanded)
        }
        let ofProxy = shim_curl_proxy_certificate_error(easy)
        error.cause = CurlFailure.cause(
            code, words: words, host: target.host, systemError: shim_curl_system_error(easy),
            certificateError: ofProxy != 0 ? ofProxy : shim_curl_certificate_error(easy),
            proxyStatus: shim_curl_proxy_status(easy))
        switch error.cause {
        case .proxyPassword where shim_curl_proxy_has_other_methods(easy) != 0:
            (error.cause, error.proxyStatus) = (.proxyMethod, shim_curl_proxy_status(easy))
            error.proxy = proxy(for: target)
        case .proxyRefused, .proxyPassword:
            let status = shim_curl_proxy_status(easy)
            error.proxyStatus = status == 0 ? nil : status
            error.proxy = proxy(for: target)
        case .proxy: error.proxy = proxy(for: target)
        case .authorityFile: error.file = settings.caFile
        case .notTLS, .tlsTooOld, .clientCertificateDemanded: error.proxy = proxy(ofTLSTo: target)
        case .certificateExpired, .certificateNotYetValid, .certificateForAnotherHost, .certificateUntrusted,
            .certificateSelfSigned:
            error.certificate = certificate()
            error.proxy = ofProxy != 0 ? proxy(for: target) : proxy(ofTLSTo: target)
        default: break
        }
        return error
    }

    /// Returns the proxy, if the handshake that failed was with it: it is reached by TLS, and had not been asked for
    /// anything yet.
    private func proxy(ofTLSTo target: CurlTarget) -> String? {
        guard settings.proxy != nil, !target.isLocal, shim_curl_proxy_status(easy) == 0 else { return nil }
        return proxy(for: target).flatMap { $0.hasPrefix("https://") ? $0 : nil }
    }

    /// Returns the certificate that was refused; `nil` if the TLS library does not show it.
    private func certificate() -> RefusedCertificate? {
        var found = shim_curl_certificate()
        guard shim_curl_seen(witness, &found) != 0 else { return nil }
        func date(_ seconds: Int64) -> Date? {
            seconds == Int64(shim_curl_no_time) ? nil : Date(timeIntervalSince1970: Double(seconds))
        }
        return RefusedCertificate(
            notBefore: date(found.not_before), notAfter: date(found.not_after), hosts: hosts(),
            isAuthority: found.depth > 0)
    }

    private func hosts() -> [String] {
        (0..<Self.hostsCap).compactMap { number in
            var text = [CChar](repeating: 0, count: 256)
            guard shim_curl_seen_host(witness, number, &text, text.count) != 0 else { return nil }
            return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
        }
    }

    private func proxy(for target: CurlTarget) -> String? {
        CurlProxy.origin(of: settings.proxy ?? CurlProxy.inEnvironment(isTLS: target.isTLS) ?? "")
    }
}
