import CCurl
import Latchkey

/// One request under way: its handle, and what came of the answer. Lives on the thread alone.
final class CurlReception {
    let transfer: CurlTransfer
    let handle: UnsafeMutableRawPointer
    private let sizeCap: Int
    private var list: UnsafeMutablePointer<curl_slist>?
    private let failure: UnsafeMutablePointer<CChar>
    private var lines: [(name: String, value: String)] = []
    private var headSize = 0
    private var isHeadOver = false
    private var body: [UInt8] = []
    private var isTooLarge = false
    /// How often libcurl began to write the request.
    private var issues = 0

    init(_ transfer: CurlTransfer, _ handle: UnsafeMutableRawPointer, sizeCap: Int) {
        self.transfer = transfer
        self.handle = handle
        self.sizeCap = sizeCap
        failure = .allocate(capacity: Int(CURL_ERROR_SIZE))
        failure.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit { failure.deallocate() }

    /// Frees what libcurl read from, once the handle is out of the multi handle.
    func release() {
        curl_slist_free_all(list)
        list = nil
        _ = shim_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, nil)
        _ = shim_curl_set_pointer(handle, CURLOPT_HTTPHEADER, nil)
    }

    /// Tells libcurl everything, or what is left of it where `isReady`; `false` when it refuses any of it, and then
    /// nothing may be sent.
    func prepare(_ settings: CurlSettings, rest: Duration, isReady: Bool) -> Bool {
        var isAccepted = isReady || prepareConnection(settings)
        let limit = Int(min(max(rest.wholeNanoseconds / 1_000_000, 1), Int64(Int32.max)))
        if shim_curl_set_number(handle, CURLOPT_TIMEOUT_MS, limit) != CURLE_OK { isAccepted = false }
        prepareCallbacks()
        for line in transfer.head.lines {
            guard let longer = curl_slist_append(list, line) else { return false }
            list = longer
        }
        return isAccepted && shim_curl_set_pointer(handle, CURLOPT_HTTPHEADER, list) == CURLE_OK
    }

    private func prepareConnection(_ settings: CurlSettings) -> Bool {
        let head = transfer.head
        var isAccepted = true
        func number(_ option: CURLoption, _ value: Int) {
            if shim_curl_set_number(handle, option, value) != CURLE_OK { isAccepted = false }
        }
        func text(_ option: CURLoption, _ value: String) {
            if shim_curl_set_text(handle, option, value) != CURLE_OK { isAccepted = false }
        }
        text(CURLOPT_URL, head.url)
        text(CURLOPT_PROTOCOLS_STR, head.isTLS ? "https" : "http")
        number(CURLOPT_PATH_AS_IS, 1)
        number(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        number(CURLOPT_NOSIGNAL, 1)
        number(CURLOPT_FOLLOWLOCATION, 0)
        number(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        number(CURLOPT_HTTP_VERSION, Int(head.isTLS ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
        number(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        if let file = settings.caFile { text(CURLOPT_CAINFO, file) }
        // Empty means no proxy, whatever the environment says.
        if head.isLocal { text(CURLOPT_PROXY, "") }
        // On a new connection libcurl never sends again by itself; on a reused one it does, whatever the method.
        if !head.isRepeatable { number(CURLOPT_FRESH_CONNECT, 1) }
        prepareMethod(head, number, text)
        return isAccepted
    }

    private func prepareMethod(
        _ head: CurlRequestHead, _ number: (CURLoption, Int) -> Void, _ text: (CURLoption, String) -> Void
    ) {
        guard head.method != "HEAD" else { return number(CURLOPT_NOBODY, 1) }
        if var body = transfer.body ?? (head.expectsBody ? [] : nil) {
            number(CURLOPT_POSTFIELDSIZE, body.count)
            // Copied at once by libcurl, so the pointer need not outlive the call; one byte more, because an empty
            // array has no address.
            body.append(0)
            body.withUnsafeMutableBytes {
                _ = shim_curl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, $0.baseAddress)
            }
        }
        text(CURLOPT_CUSTOMREQUEST, head.method)
    }

    private func prepareCallbacks() {
        // Valid for as long as libcurl may call: the loop holds this object until the handle is out.
        let context = Unmanaged.passUnretained(self).toOpaque()
        for option in [
            CURLOPT_PRIVATE, CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_PREREQDATA,
        ] { _ = shim_curl_set_pointer(handle, option, context) }
        _ = shim_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, failure)
        _ = shim_curl_set_data_callback(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            CurlReception.of(context)?.take(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
        }
        _ = shim_curl_set_data_callback(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            CurlReception.of(context)?.takeLine(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
        }
        _ = shim_curl_set_issue_callback(handle) { context, _, _, _, _ in
            CurlReception.of(context)?.mayIssue() == true ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> CurlReception? {
        context.map { Unmanaged<CurlReception>.fromOpaque($0).takeUnretainedValue() }
    }
}

// MARK: - What libcurl reports

extension CurlReception {
    /// The connection stands and the request goes out next. A request that must not be repeated goes out once.
    private func mayIssue() -> Bool {
        guard issues == 0 || transfer.head.isRepeatable else { return false }
        issues += 1
        return true
    }

    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard body.count + bytes.count <= sizeCap else {
            isTooLarge = true
            return 0
        }
        body.append(contentsOf: bytes)
        return bytes.count
    }

    /// Takes one line of a head, status line and empty line included. Lines after the head are trailers: left out.
    private func takeLine(_ bytes: UnsafeRawBufferPointer) -> Int {
        headSize += bytes.count
        guard headSize <= CurlSettings.headCap, lines.count < CurlSettings.linesCap else {
            isTooLarge = true
            return 0
        }
        let line = bytes.prefix { $0 != 0x0D && $0 != 0x0A }
        if line.starts(with: "HTTP/".utf8), isHeadOver || lines.isEmpty {
            (lines, isHeadOver) = ([], false)
        } else if line.isEmpty {
            isHeadOver = true
        } else if !isHeadOver {
            takeField(line)
        }
        return bytes.count
    }

    private func takeField(_ line: Slice<UnsafeRawBufferPointer>) {
        if line.first == 0x20 || line.first == 0x09, let last = lines.indices.last {
            // A folded line goes on with one space (RFC 9112, section 5.2).
            lines[last].value += " " + Self.text(line)
        } else if let colon = line.firstIndex(of: 0x3A) {
            lines.append((Self.text(line[..<colon]), Self.text(line[line.index(after: colon)...])))
        }
    }

    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let rest = bytes.drop(while: isBlank)
        let end = rest.lastIndex { !isBlank($0) }.map { rest.index(after: $0) } ?? rest.startIndex
        return String(decoding: rest[..<end], as: UTF8.self)
    }
}

// MARK: - What it means

extension CurlReception {
    /// The answer, or why there is none.
    func result(_ code: CURLcode) -> Result<HTTPResponse, any Error> {
        if code == CURLE_OK {
            return .success(
                HTTPResponse(status: shim_curl_status(handle), fields: HTTPFields(lines), body: body))
        }
        return .failure(TransportError(isTooLarge ? .tooLarge : meaning(of: code), wasSent: issues > 0))
    }

    private func meaning(of code: CURLcode) -> TransportError.Code {
        switch code {
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: issues == 0 ? .invalidRequest : .interrupted
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_USE_SSL_FAILED, CURLE_SSL_ENGINE_INITFAILED:
            .tls
        case CURLE_SSL_CONNECT_ERROR: hungUpInHandshake ? .unreachable : .tls
        default: issues == 0 ? .unreachable : .interrupted
        }
    }

    /// A peer that hangs up during the handshake is a broken network more often than an impostor; libcurl has one
    /// code for both, and OpenSSL's words tell them apart.
    private var hungUpInHandshake: Bool {
        let text = String(cString: failure)
        return ["SSL_ERROR_SYSCALL", "unexpected eof", "Connection reset"].contains { text.contains($0) }
    }
}
