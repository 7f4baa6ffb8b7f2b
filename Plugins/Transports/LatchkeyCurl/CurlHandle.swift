import CCurl
import Latchkey

/// An easy handle of libcurl with the request that it carries. Kept for the next request; only the driver uses it.
final class CurlHandle {
    /// How URLs are read: as they are, and without user information.
    static let addressFlags = UInt32(CURLU_PATH_AS_IS | CURLU_DISALLOW_USER)

    let easy: UnsafeMutableRawPointer
    /// The request that it carries now.
    private(set) var transfer: CurlTransfer?
    /// The handle's position in the loop's list of those under way.
    var place = 0
    /// The shape that it is set up for: everything but header fields and content.
    private(set) var readyFor: CurlShape?
    let settings: CurlSettings
    /// Where the handle marks the sockets that it opens (``CurlSockets/opened``).
    private let opened: UnsafeMutablePointer<UInt8>
    private let failure: UnsafeMutablePointer<CChar>
    /// Sees the certificates that are refused; `nil` if the TLS library shows none.
    let witness = shim_curl_witness_new()
    private var list: UnsafeMutablePointer<curl_slist>?
    /// The parsed URL, so that libcurl does not parse the text again for each request.
    private var address: OpaquePointer?
    private var answer = CurlAnswer()
    /// The number of times that libcurl began to write the request.
    private var issues = 0
    /// What libcurl says of the request's stream, if the request is written once.
    private let stream: UnsafeMutablePointer<shim_curl_stream>

    /// Returns `nil` when libcurl has no memory. `opened` must outlive the handle's connections.
    init?(_ settings: CurlSettings, _ opened: UnsafeMutablePointer<UInt8>) {
        guard let easy = shim_curl_easy_init() else { return nil }
        self.easy = easy
        self.settings = settings
        self.opened = opened
        failure = .allocate(capacity: Int(CURL_ERROR_SIZE))
        failure.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        stream = .allocate(capacity: 1)
        stream.initialize(to: shim_curl_stream())
        prepareCallbacks()
    }

    deinit {
        shim_curl_easy_cleanup(easy)
        shim_curl_slist_free_all(list)
        shim_curl_url_cleanup(address)
        shim_curl_witness_free(witness)
        failure.deallocate()
        stream.deallocate()
    }

    /// Sets up a request; `false` if libcurl refuses any part of it, and then nothing may be sent. ``CurlLoop``
    /// keeps the deadline, not libcurl, because it goes by the context's clock. The limit of a connection is libcurl's.
    func prepare(_ transfer: CurlTransfer) -> Bool {
        let isReady = knows(transfer)
        if !isReady { forget() }
        self.transfer = transfer
        stream.pointee = shim_curl_stream()
        swap(&answer, &transfer.answer)
        let isAccepted = (isReady || prepareConnection(transfer)) && prepareBody(transfer)
        if transfer.head.lines.isEmpty { return isAccepted }
        for line in transfer.head.lines {
            guard let longer = shim_curl_slist_append(list, line) else { return false }
            list = longer
        }
        return isAccepted && shim_curl_set_pointer(easy, CURLOPT_HTTPHEADER, list) == CURLE_OK
    }

    /// Ends the request, once the handle is out of the multi handle, and returns its result.
    func end(_ code: CURLcode) -> CurlEnd {
        let end = meaning(code)
        noteKey(code)
        shim_curl_witness_forget(witness)
        if let transfer { swap(&answer, &transfer.answer) }
        readyFor = code == CURLE_OK ? transfer?.shape : nil
        // Fields and content may be secret, so they are not kept longer than the request.
        if readyFor == nil {
            forget()
        } else {
            freeLines()
            if transfer?.body != nil { _ = shim_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, nil) }
        }
        (transfer, issues) = (nil, 0)
        return end
    }

    /// Whether the handle is set up for this request but for header fields and content.
    func knows(_ transfer: CurlTransfer) -> Bool {
        guard let readyFor, let shape = transfer.shape else { return false }
        return readyFor == shape
    }

    private func freeLines() {
        guard list != nil else { return }
        _ = shim_curl_set_pointer(easy, CURLOPT_HTTPHEADER, nil)
        shim_curl_slist_free_all(list)
        list = nil
    }

    private func forget() {
        readyFor = nil
        freeLines()
        shim_curl_easy_reset(easy)
        shim_curl_url_cleanup(address)
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
        address = shim_curl_url()
        if shim_curl_url_set(address, CURLUPART_URL, head.target.url, Self.addressFlags) != CURLUE_OK {
            isAccepted = false
        }
        if shim_curl_set_pointer(easy, CURLOPT_CURLU, address.map(UnsafeMutableRawPointer.init)) != CURLE_OK {
            isAccepted = false
        }
        text(CURLOPT_PROTOCOLS_STR, head.target.isTLS ? "https" : "http")
        // A request's own field takes its place.
        text(CURLOPT_USERAGENT, settings.userAgent.text)
        // It is asked for by libcurl, and undone by ``ContentCoding``.
        text(CURLOPT_ACCEPT_ENCODING, ContentCoding.wanted)
        number(CURLOPT_HTTP_CONTENT_DECODING, 0)
        number(CURLOPT_PATH_AS_IS, 1)
        number(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        number(CURLOPT_NOSIGNAL, 1)
        number(CURLOPT_FOLLOWLOCATION, 0)
        number(CURLOPT_CONNECTTIMEOUT_MS, Int(settings.connectLimit / .milliseconds(1)))
        number(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        let speaksTwo = head.target.isTLS && !transfer.isOld
        number(CURLOPT_HTTP_VERSION, Int(speaksTwo ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
        // Its words cost some time. A request that may be written twice needs none of them.
        if speaksTwo, head.writing != .twice, !transfer.isLook { shim_curl_set_stream(easy, stream) }
        number(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        if let file = settings.caFile {
            text(CURLOPT_CAINFO, file)
            // Clear the system's directory: libcurl would also trust the one that it was built with. A TLS library
            // without such directories reports that.
            let answer = shim_curl_set_pointer(easy, CURLOPT_CAPATH, nil)
            if answer != CURLE_OK && answer != CURLE_NOT_BUILT_IN { isAccepted = false }
            // Otherwise libcurl would use the file's earlier content for a day.
            number(CURLOPT_CA_CACHE_TIMEOUT, 0)
        }
        // An empty text means no proxy, whatever the environment says.
        if head.target.isLocal {
            text(CURLOPT_PROXY, "")
        } else if let proxy = settings.proxy {
            text(CURLOPT_PROXY, proxy)
            // The environment's exceptions are for its own proxy.
            text(CURLOPT_NOPROXY, "")
        }
        // On a reused connection libcurl may send a request again by itself, whatever the method, and a request
        // that is written once would fail then. On a new connection it never does.
        if head.writing == .alone || transfer.isLook { number(CURLOPT_FRESH_CONNECT, 1) }
        if let pins = transfer.pins, pins.mode == .enforce { text(CURLOPT_PINNEDPUBLICKEY, pins.curlText) }
        // A TLS library that cannot show the certificate still compares the pins.
        if transfer.wantsKey { _ = shim_curl_set_number(easy, CURLOPT_CERTINFO, 1) }
        prepareMethod(transfer, number, text)
        return isAccepted
    }

    /// Sets the method. For a request with content, libcurl's own method is replaced by this one.
    private func prepareMethod(
        _ transfer: CurlTransfer, _ number: (CURLoption, Int) -> Void, _ text: (CURLoption, String) -> Void
    ) {
        guard transfer.head.method != "HEAD" else { return number(CURLOPT_NOBODY, 1) }
        text(CURLOPT_CUSTOMREQUEST, transfer.head.method)
    }

    /// Sets the content, which libcurl copies, so that head and content are one piece for the kernel and for TLS.
    private func prepareBody(_ transfer: CurlTransfer) -> Bool {
        guard let body = transfer.body ?? (transfer.head.expectsBody ? [] : nil) else { return true }
        guard shim_curl_set_number(easy, CURLOPT_POSTFIELDSIZE, body.count) == CURLE_OK else { return false }
        // An empty array may have no address, and then libcurl would ask for the content.
        return (body.isEmpty ? [0] : body).withUnsafeBytes {
            let bytes = UnsafeMutableRawPointer(mutating: $0.baseAddress)
            return shim_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, bytes) == CURLE_OK
        }
    }

    private func prepareCallbacks() {
        // Valid for as long as libcurl may call, because this object owns the easy handle.
        let context = Unmanaged.passUnretained(self).toOpaque()
        for option in [
            CURLOPT_PRIVATE, CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_PREREQDATA,
        ] { _ = shim_curl_set_pointer(easy, option, context) }
        _ = shim_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, failure)
        shim_curl_set_opening(easy, opened)
        shim_curl_set_witness(easy, witness)
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

    /// Calls `body` with the handle. Callbacks come for each line, and the handle outlives them, so no reference is
    /// counted.
    private static func with(_ context: UnsafeMutableRawPointer?, _ body: (CurlHandle) -> Int) -> Int? {
        context.map { Unmanaged<CurlHandle>.fromOpaque($0)._withUnsafeGuaranteedRef(body) }
    }
}

// MARK: - What libcurl reports

extension CurlHandle {
    /// Whether the request may be written now. One that must not be written twice is written once, whatever
    /// libcurl has in mind with it when a connection that it kept turns out to be dead; and once more after the service
    /// has refused it before it had begun with it.
    private func mayIssue() -> Bool {
        guard let transfer, !transfer.isLook else { return false }
        guard issues == 0 || transfer.head.writing == .twice || issues == 1 && isRefused else { return false }
        issues += 1
        stream.pointee = shim_curl_stream()
        return true
    }

    /// Whether the service refused what was written last before it had begun with it.
    private var isRefused: Bool { stream.pointee.is_refused != 0 && answer.isEmpty }

    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        answer.take(bytes, cap: settings.sizeCap) ? bytes.count : 0
    }

    private func takeLine(_ bytes: UnsafeRawBufferPointer) -> Int { answer.takeLine(bytes) ? bytes.count : 0 }
}

// MARK: - What it means

extension CurlHandle {
    /// Returns the answer, or why there is none.
    private func meaning(_ code: CURLcode) -> CurlEnd {
        if let transfer, transfer.isLook, code == CURLE_ABORTED_BY_CALLBACK, let key = key() { return .looked(key) }
        // What ends within the head is no answer, though libcurl takes the end of the connection for that of the head.
        if code == CURLE_OK, !answer.isHeadOver {
            return .failed(error(CURLE_RECV_ERROR, words: "", wasIssued: issues > 0))
        }
        if code == CURLE_OK { return .answered(status: shim_curl_status(easy)) }
        guard !answer.isTooLarge else { return .failed(TransportError(.tooLarge, wasSent: issues > 0)) }
        var error = error(code, words: String(cString: failure), wasIssued: issues > 0)
        // Nothing of it was begun with, so it certainly has not reached the service.
        if issues > 0, isRefused { error.wasSent = false }
        guard issues == 1, mayBeRepeated(code) else { return .failed(error) }
        return .refused(error, wantsOld: stream.pointee.wants_old != 0)
    }

    /// Whether the request may be sent once more, which libcurl has not done.
    private func mayBeRepeated(_ code: CURLcode) -> Bool {
        switch code {
        case CURLE_HTTP2 where transfer?.head.writing == .twice: answer.isEmpty
        case CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_RECV_ERROR, CURLE_SEND_ERROR: isRefused
        default: false
        }
    }
}
