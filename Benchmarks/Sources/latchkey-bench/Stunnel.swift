import CBench
import Glibc
import Latchkey

/// Puts TLS in front of a server on 127.0.0.1, at the same port of ::1, with a program that is widely used for
/// that.
struct Stunnel {
    let url: String
    let caFile: String
    let process: Int32

    /// - Parameter url: The server's URL, `http://127.0.0.1:PORT`. The server must also answer under the name of
    ///   ::1.
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

    /// Waits until it answers.
    func answers(over transport: some HTTPTransport) async throws {
        let request = TransportRequest("GET", url)
        for _ in 0..<500 {
            // Any answer will do, because the server may require a key.
            if (try? await transport.send(request, deadline: .seconds(2))) != nil { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw BenchError.failed("stunnel does not answer at \(url)")
    }
}
