import CCurl
import Latchkey

/// An easy handle of libcurl, and the request that it carries. Kept for the next request; touched by the driver alone.
final class CurlHandle {
    let easy: UnsafeMutableRawPointer
    /// What it carries, while it does.
    private(set) var transfer: CurlTransfer?
    /// Where the loop finds it among those that are under way.
    var place = 0
    /// What it was told all about but header fields and content.
    private(set) var readyFor: CurlShape?
    private let settings: CurlSettings
    /// Where it notes which sockets it opened (``CurlSockets/opened``).
    private let opened: UnsafeMutablePointer<UInt8>
    private let failure: UnsafeMutablePointer<CChar>
    private var list: UnsafeMutablePointer<curl_slist>?
    /// The URL as libcurl reads it: given as text, it would be read for each request anew.
    private var address: OpaquePointer?
    private var answer = CurlAnswer()
    /// How often libcurl began to write the request.
    private var issues = 0

    /// `nil` when libcurl has no memory. `opened` outlives the connections of the handle.
    init?(_ settings: CurlSettings, _ opened: UnsafeMutablePointer<UInt8>) {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        self.settings = settings
        self.opened = opened
        failure = .allocate(capacity: Int(CURL_ERROR_SIZE))
        failure.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        prepareCallbacks()
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(list)
        curl_url_cleanup(address)
        failure.deallocate()
    }

    /// Takes a request on; `false` when libcurl refuses any of it, and then nothing may be sent. The deadline is not
    /// libcurl's matter: ``CurlLoop`` keeps it, by the context's clock.
    func prepare(_ transfer: CurlTransfer) -> Bool {
        let isReady = knows(transfer)
        if !isReady { forget() }
        self.transfer = transfer
        swap(&answer, &transfer.answer)
        let isAccepted = (isReady || prepareConnection(transfer)) && prepareBody(transfer)
        if transfer.head.lines.isEmpty { return isAccepted }
        for line in transfer.head.lines {
            guard let longer = curl_slist_append(list, line) else { return false }
            list = longer
        }
        return isAccepted && shim_curl_set_pointer(easy, CURLOPT_HTTPHEADER, list) == CURLE_OK
    }

    /// Ends the request, once the handle is out of the multi handle, and tells what came of it.
    func end(_ code: CURLcode) -> CurlEnd {
        let end = meaning(code)
        if let transfer { swap(&answer, &transfer.answer) }
        readyFor = code == CURLE_OK ? transfer?.shape : nil
        // Fields and content may be secret: they are kept no longer than the request.
        if readyFor == nil {
            forget()
        } else {
            freeLines()
            if transfer?.body != nil { _ = shim_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, nil) }
        }
        (transfer, issues) = (nil, 0)
        return end
    }

    /// Whether it was told all about this request but header fields and content.
    func knows(_ transfer: CurlTransfer) -> Bool {
        guard let readyFor, let shape = transfer.shape else { return false }
        return readyFor == shape
    }

    private func freeLines() {
        guard list != nil else { return }
        _ = shim_curl_set_pointer(easy, CURLOPT_HTTPHEADER, nil)
        curl_slist_free_all(list)
        list = nil
    }

    private func forget() {
        readyFor = nil
        freeLines()
        curl_easy_reset(easy)
        curl_url_cleanup(address)
        address = nil
        failure.pointee = 0
        prepareCallbacks()
    }

    private func prepareConnection(_ transfer: CurlTransfer) -> Bool {
        let head = transfer.head
        var isAccepted = true
        func number(_ option: CURLoption, _ value: Int) {
            if shim_curl_set_number(easy, option, value) != CURLE_OK { isAccepted = false }
        }
        func text(_ option: CURLoption, _ value: String) {
            if shim_curl_set_text(easy, option, value) != CURLE_OK { isAccepted = false }
        }
        address = curl_url()
        let flags = UInt32(CURLU_PATH_AS_IS | CURLU_DISALLOW_USER)
        if curl_url_set(address, CURLUPART_URL, head.target.url, flags) != CURLUE_OK { isAccepted = false }
        if shim_curl_set_pointer(easy, CURLOPT_CURLU, address.map(UnsafeMutableRawPointer.init)) != CURLE_OK {
            isAccepted = false
        }
        text(CURLOPT_PROTOCOLS_STR, head.target.isTLS ? "https" : "http")
        number(CURLOPT_PATH_AS_IS, 1)
        number(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        number(CURLOPT_NOSIGNAL, 1)
        number(CURLOPT_FOLLOWLOCATION, 0)
        number(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        number(CURLOPT_HTTP_VERSION, Int(head.target.isTLS ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
        number(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        if let file = settings.caFile {
            text(CURLOPT_CAINFO, file)
            // In place of the system's: the directory that libcurl was built with would be asked as well. A TLS library
            // that knows no such directories says so.
            let answer = shim_curl_set_pointer(easy, CURLOPT_CAPATH, nil)
            if answer != CURLE_OK && answer != CURLE_NOT_BUILT_IN { isAccepted = false }
            // Or libcurl would go on for a day with what once stood in the file.
            number(CURLOPT_CA_CACHE_TIMEOUT, 0)
        }
        // Empty means no proxy, whatever the environment says.
        if head.target.isLocal { text(CURLOPT_PROXY, "") }
        // On a new connection libcurl never sends again by itself. On a reused one it would, whatever the method: what is
        // written once would fail then.
        if head.writing == .alone { number(CURLOPT_FRESH_CONNECT, 1) }
        prepareMethod(transfer, number, text)
        return isAccepted
    }

    /// Its method: libcurl has one of its own for a request with content, and takes this one in its place.
    private func prepareMethod(
        _ transfer: CurlTransfer, _ number: (CURLoption, Int) -> Void, _ text: (CURLoption, String) -> Void
    ) {
        guard transfer.head.method != "HEAD" else { return number(CURLOPT_NOBODY, 1) }
        text(CURLOPT_CUSTOMREQUEST, transfer.head.method)
    }

    /// Its content, which libcurl copies: together with the head, it is one piece for the kernel and for TLS.
    private func prepareBody(_ transfer: CurlTransfer) -> Bool {
        guard let body = transfer.body ?? (transfer.head.expectsBody ? [] : nil) else { return true }
        guard shim_curl_set_number(easy, CURLOPT_POSTFIELDSIZE, body.count) == CURLE_OK else { return false }
        // An empty array may have no address, and libcurl would ask for the content then.
        return (body.isEmpty ? [0] : body).withUnsafeBytes {
            let bytes = UnsafeMutableRawPointer(mutating: $0.baseAddress)
            return shim_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, bytes) == CURLE_OK
        }
    }

    private func prepareCallbacks() {
        // Valid for as long as libcurl may call: it goes with this object.
        let context = Unmanaged.passUnretained(self).toOpaque()
        for option in [
            CURLOPT_PRIVATE, CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_PREREQDATA,
        ] { _ = shim_curl_set_pointer(easy, option, context) }
        _ = shim_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, failure)
        shim_curl_set_opening(easy, opened)
        _ = shim_curl_set_data_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            CurlHandle.with(context) { $0.take(UnsafeRawBufferPointer(start: bytes, count: size * count)) } ?? 0
        }
        _ = shim_curl_set_data_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            CurlHandle.with(context) { $0.takeLine(UnsafeRawBufferPointer(start: bytes, count: size * count)) } ?? 0
        }
        _ = shim_curl_set_issue_callback(easy) { context, _, _, _, _ in
            CurlHandle.of(context)?.mayIssue() == true ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
    }

    static func of(_ context: UnsafeMutableRawPointer?) -> CurlHandle? {
        context.map { Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The same for the callbacks, which come for each line: the handle outlives them, so nobody counts who holds it.
    private static func with(_ context: UnsafeMutableRawPointer?, _ body: (CurlHandle) -> Int) -> Int? {
        context.map { Unmanaged<CurlHandle>.fromOpaque($0)._withUnsafeGuaranteedRef(body) }
    }
}

// MARK: - What libcurl reports

extension CurlHandle {
    /// The connection stands and the request goes out next. One that must not be written twice goes out once, whatever
    /// libcurl has in mind with it when a connection that it kept turns out to be dead.
    private func mayIssue() -> Bool {
        guard let transfer, issues == 0 || transfer.head.writing == .twice else { return false }
        issues += 1
        return true
    }

    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        answer.take(bytes, cap: settings.sizeCap) ? bytes.count : 0
    }

    private func takeLine(_ bytes: UnsafeRawBufferPointer) -> Int { answer.takeLine(bytes) ? bytes.count : 0 }
}

// MARK: - What it means

extension CurlHandle {
    /// The answer, or why there is none.
    private func meaning(_ code: CURLcode) -> CurlEnd {
        if code == CURLE_OK { return .answered(status: shim_curl_status(easy)) }
        let why = CurlFailure.code(code, words: String(cString: failure), wasIssued: issues > 0)
        return .failed(TransportError(answer.isTooLarge ? .tooLarge : why, wasSent: issues > 0))
    }
}
