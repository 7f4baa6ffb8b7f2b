#if os(Linux)
    import CCurl
    import Glibc
    import Latchkey
    import LatchkeyTesting
    import Testing

    @testable import LatchkeyCurl

    @Suite("libcurl transport: the system's directory of authorities", .serialized)
    struct AuthorityDirectoryTests {
        /// One of the system's authorities, in the directory that libcurl was built to look into.
        private struct Authority {
            let path: String
            let subject: String

            init?() {
                guard shim_curl_load() != 0, let place = shim_curl_version_info(CURLVERSION_TENTH).pointee.capath else {
                    return nil
                }
                // Its name is given to a certificate of ours, so only one that needs no quoting.
                let script = """
                    for file in '\(String(cString: place))'/*.0; do
                        subject=$(openssl x509 -in "$file" -noout -subject -nameopt compat) || continue
                        subject=${subject#subject=}
                        case $subject in
                            *[!A-Za-z0-9/=\\ .-]*) ;;
                            /*) printf '%s\\n%s' "$file" "$subject" && exit ;;
                        esac
                    done
                    """
                guard let pipe = popen(script, "re") else { return nil }
                defer { pclose(pipe) }
                var bytes = [CChar](repeating: 0, count: 4_096)
                let count = fread(&bytes, 1, bytes.count, pipe)
                let said = String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
                let lines = said.split(separator: "\n").map(String.init)
                guard lines.count == 2 else { return nil }
                (path, subject) = (lines[0], lines[1])
            }
        }

        /// Whether somebody opens the file at `path` while `work` is done.
        private func isOpened(_ path: String, while work: () async -> Void) async throws -> Bool {
            let queue = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
            defer { close(queue) }
            try #require(queue >= 0 && inotify_add_watch(queue, path, UInt32(IN_OPEN)) >= 0)
            await work()
            var events = [UInt8](repeating: 0, count: 4_096)
            return read(queue, &events, events.count) > 0
        }

        @Test("A file of authorities stands in place of the system's: their directory is not looked into")
        func inPlace() async throws {
            if let reason = WatchLimit.reached { try Test.cancel("\(reason)") }
            guard let authority = Authority() else {
                print("skipped: libcurl looks into no directory of authorities, or there is no openssl program")
                return
            }
            // It is called what that authority is, so that whoever looks for its issuer finds that authority.
            guard let trusted = await TLSServer.start(),
                let namesake = await TLSServer.start(subject: authority.subject)
            else { return }
            let url = "https://127.0.0.1:\(namesake.port)/"
            // The file is the whole machine's, and other programs open it too; ours would do so each time.
            var isOpenedByUs = true
            for _ in 0..<20 where isOpenedByUs {
                isOpenedByUs = try await isOpened(authority.path) {
                    let error = await CurlFailureTests.failure(
                        TransportRequest("POST", url), over: CurlTransport(caFile: trusted.caFile))
                    #expect(error == TransportError(.tls, wasSent: false))
                }
            }
            #expect(!isOpenedByUs)
            // libcurl alone does, so that the watch is known to see it.
            let isOpenedAlone = try await isOpened(authority.path) {
                let easy = shim_curl_easy_init()
                defer { shim_curl_easy_cleanup(easy) }
                _ = shim_curl_set_text(easy, CURLOPT_URL, url)
                _ = shim_curl_set_text(easy, CURLOPT_CAINFO, trusted.caFile)
                #expect(shim_curl_easy_perform(easy) == CURLE_PEER_FAILED_VERIFICATION)
            }
            #expect(isOpenedAlone)
        }
    }
#endif
