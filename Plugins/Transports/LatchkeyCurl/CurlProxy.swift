import CCurl
import FoundationEssentials

/// The proxy of a request, for messages. libcurl itself decides which one it uses.
enum CurlProxy {
    /// Returns scheme, host and port of a proxy's URL, without the name and the password that may be in it; `nil` if
    /// it is malformed.
    static func origin(of url: String) -> String? {
        let address = shim_curl_url()
        defer { shim_curl_url_cleanup(address) }
        // As libcurl reads it: without a scheme it is an HTTP proxy, and its port is 1080.
        let text = url.contains("://") ? url : "http://\(url)"
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME)
        guard !url.isEmpty, shim_curl_url_set(address, CURLUPART_URL, text, flags) == CURLUE_OK,
            let scheme = part(CURLUPART_SCHEME, of: address), let host = part(CURLUPART_HOST, of: address)
        else { return nil }
        let port = part(CURLUPART_PORT, of: address) ?? (scheme == "https" ? "443" : "1080")
        return "\(scheme)://\(host):\(port)"
    }

    /// Returns what the environment names for such a request, in libcurl's order.
    static func inEnvironment(isTLS: Bool) -> String? {
        let variables = ProcessInfo.processInfo.environment
        let names = (isTLS ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + ["all_proxy", "ALL_PROXY"]
        return names.lazy.compactMap { variables[$0] }.first { !$0.isEmpty }
    }

    private static func part(_ part: CURLUPart, of address: OpaquePointer?) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard shim_curl_url_get(address, part, &text, 0) == CURLUE_OK, let text else { return nil }
        defer { shim_curl_free(text) }
        return String(cString: text)
    }
}
