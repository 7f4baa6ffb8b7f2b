import CBench
import Glibc
import Latchkey

/// TLS before a server on 127.0.0.1, at the same port of ::1, by a program that many have before theirs.
struct Stunnel {
    let url: String
    let caFile: String
    let process: Int32

    /// - Parameter url: Of the server, as `http://127.0.0.1:PORT`. It answers under the name of ::1 as well.
    init(before url: String, in folder: String) throws {
        guard let program = getenv("BENCH_STUNNEL"), let certificate = getenv("BENCH_CERTIFICATE"),
            let key = getenv("BENCH_CERTIFICATE_KEY")
        else {
            throw BenchError.failed(
                "BENCH_STUNNEL, BENCH_CERTIFICATE and its _KEY are not set; Scripts/bench sets them")
        }
        caFile = String(cString: certificate)
        let address = url.dropFirst("http://127.0.0.1:".count)
        self.url = "https://[::1]:\(address)"
        let port = address.prefix { $0.isNumber }
        let settings = "\(folder)/stunnel.conf"
        let text = """
            foreground = yes
            pid =
            debug = crit
            [server]
            accept = ::1:\(port)
            connect = 127.0.0.1:\(port)
            cert = \(caFile)
            key = \(String(cString: key))

            """
        guard let file = fopen(settings, "w") else { throw BenchError.failed("\(settings) cannot be written") }
        fputs(text, file)
        fclose(file)
        var words = [strdup("stunnel"), strdup(settings), nil]
        var variables: [UnsafeMutablePointer<CChar>?] = [nil]
        defer { for word in words { free(word) } }
        process = cb_start(program, &words, &variables, "\(folder)/stunnel.log")
    }

    /// Waits until it does.
    func answers(over transport: some HTTPTransport) async throws {
        let request = TransportRequest("GET", url)
        for _ in 0..<500 {
            // Whatever the answer is: the server may want a key.
            if (try? await transport.send(request, deadline: .seconds(2))) != nil { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw BenchError.failed("stunnel does not answer at \(url)")
    }
}
