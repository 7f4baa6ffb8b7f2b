import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `openssl s_server` with a certificate of its own making. It ends by itself after half a minute.
final class TLSServer: Sendable {
    let port: UInt16
    /// The certificate, which is its own authority; or that of its authority, if it has one.
    let caFile: String
    /// The pin of its key in base64, as the `openssl` program computes it.
    let pin: String
    private let folder: String
    private let process: pid_t
    private let isEnded = Locked(false)

    /// `nil`, after a word why, when there is no `openssl` program to run.
    ///
    /// - Parameters:
    ///   - subject: What it calls itself, as `openssl req -subj` takes it.
    ///   - names: Whom the certificate is for, as `subjectAltName` takes it.
    ///   - keeps: Whether it keeps its connection, notes the requests and answers with the number of the connection.
    ///     It serves one connection at a time. Otherwise it closes each.
    ///   - port: Where it listens; 0 for any free port.
    ///   - life: If it has an authority of its own: how long its certificate is valid.
    ///   - authority: How long that authority's certificate is valid.
    static func start(
        _ options: String = "", subject: String = "/CN=test", names: String = "IP:127.0.0.1", keeps: Bool = false,
        port: UInt16 = 0, life: Life? = nil, authority: Life = Life()
    ) async -> TLSServer? {
        let making = life.map { Self.issuing(subject, names, $0, by: authority) }
        let server = await DetachedThread.run { TLSServer(options, subject, names, keeps, port, making) }
        if case .some(.some(let server)) = server { return server }
        print("skipped: no openssl program that serves TLS")
        return nil
    }

    /// From when until when a certificate is valid, as the `openssl` program reads it.
    struct Life: Sendable {
        var begin = "20200101000000Z"
        var end = "22000101000000Z"
    }

    private init?(
        _ options: String, _ subject: String, _ names: String, _ keeps: Bool, _ port: UInt16, _ making: String?
    ) {
        var template = Array("/tmp/latchkey-tls-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let ownAuthority = """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
            -keyout key.pem -out cert.pem -subj '\(subject)' -addext subjectAltName=\(names)
            """
        let script = """
            cd \(folder) && \(making ?? ownAuthority) &&
            openssl x509 -in cert.pem -pubkey -noout | openssl pkey -pubin -outform DER |
            openssl dgst -sha256 -binary | openssl base64 > pin &&
            serve="timeout 30 openssl s_server -accept 127.0.0.1:\(port) -cert cert.pem -key key.pem \(options)"

            """ + (keeps ? Self.keeping : "exec $serve -www")
        guard let (process, output) = Self.spawn(script, folder) else { return nil }
        defer { close(output) }
        var said: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 512)
        while !(String(decoding: said, as: UTF8.self).contains("ACCEPT") && said.last == 0x0A) {
            let count = read(output, &piece, piece.count)
            guard count > 0 else { return nil }
            said += piece[..<count]
        }
        // It names only a port that it has chosen itself.
        let chosen = String(decoding: said.dropLast(), as: UTF8.self).split(separator: ":").last.flatMap { UInt16($0) }
        guard let port = chosen ?? (port == 0 ? nil : port) else { return nil }
        (self.port, self.folder, self.process) = (port, folder, process)
        caFile = folder + (making == nil ? "/cert.pem" : "/ca.pem")
        pin = Self.lines(of: "\(folder)/pin").first ?? ""
    }

    /// Makes an authority, and a certificate that it has signed.
    private static func issuing(_ subject: String, _ names: String, _ life: Life, by authority: Life) -> String {
        """
        printf '%s\\n' '[ca]' 'default_ca=a' '[a]' 'database=index' 'new_certs_dir=.' 'serial=serial' \
        'default_md=sha256' 'policy=p' 'unique_subject=no' '[p]' 'commonName=supplied' \
        '[root]' 'basicConstraints=critical,CA:TRUE' '[leaf]' 'subjectAltName=\(names)' > ca.cnf && : > index &&
        echo 01 > serial &&
        for name in ca key; do
            openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout $name.pem.key \
            -out $name.csr -subj \"$([ $name = ca ] && echo /CN=authority || echo '\(subject)')\" || exit 1
        done
        openssl ca -batch -notext -config ca.cnf -selfsign -keyfile ca.pem.key -extensions root \
        -startdate \(authority.begin) -enddate \(authority.end) -in ca.csr -out ca.pem &&
        openssl ca -batch -notext -config ca.cnf -cert ca.pem -keyfile ca.pem.key -extensions leaf \
        -startdate \(life.begin) -enddate \(life.end) -in key.csr -out cert.pem && mv key.pem.key key.pem
        """
    }

    /// Answers each request with the number of its connection, and writes the two into a file.
    private static let keeping = """
        mkfifo answers lines && exec 3<>answers && : > requests
        $serve <&3 >lines &
        trap "kill $!" TERM
        number=0
        end=$(printf '\\r')
        while IFS= read -r line; do
            case $line in
                ACCEPT*) echo "$line" ;;
                *"BEGIN SSL SESSION PARAMETERS"*) number=$((number + 1)) ;;
                *HTTP/1.1"$end") echo "$number ${line%"$end"}" >> requests ;;
                "$end") printf 'HTTP/1.1 200 OK\\r\\nContent-Length: 1\\r\\n\\r\\n%s' $number >&3 ;;
            esac
        done <lines
        """

    /// The number of the connection and the first line of each request so far, if it keeps its connection.
    var requests: [String] { Self.lines(of: "\(folder)/requests") }

    private static func lines(of file: String) -> [String] {
        guard let stream = fopen(file, "r") else { return [] }
        defer { fclose(stream) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, stream)
        return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Ends it, so that another can have its port.
    func stop() {
        guard
            isEnded.withLock({ isEnded in
                defer { isEnded = true }
                return !isEnded
            })
        else { return }
        kill(process, SIGTERM)
        waitpid(process, nil, 0)
    }

    deinit {
        stop()
        let made = ["ca.cnf", "ca.pem", "ca.pem.key", "ca.csr", "key.csr", "01.pem", "02.pem"]
        let kept = ["index", "index.attr", "index.attr.old", "index.old", "serial", "serial.old"]
        for file in made + kept + ["cert.pem", "key.pem", "pin", "output", "answers", "lines", "requests"] {
            unlink("\(folder)/\(file)")
        }
        rmdir(folder)
    }

    /// Starts `script`, and returns the process and the end of its output that is to be read.
    private static func spawn(_ script: String, _ folder: String) -> (pid_t, Int32)? {
        // A named pipe, because it is close-on-exec from the first: another test looks at what programs inherit.
        let pipe = "\(folder)/output"
        guard mkfifo(pipe, 0o600) == 0 else { return nil }
        let output = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard output >= 0 else { return nil }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, pipe, O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var process: pid_t = 0
        let texts = ["sh", "-c", script]
        let words: [UnsafeMutablePointer<CChar>?] = texts.map { text in strdup(text) } + [nil]
        let variables: [UnsafeMutablePointer<CChar>?] = [strdup("PATH=/usr/bin:/bin:/usr/local/bin"), nil]
        defer { for word in words + variables { free(word) } }
        // The process has opened the pipe when this returns, so from then on its end is the end of what is read.
        guard posix_spawn(&process, "/bin/sh", &actions, nil, words, variables) == 0, fcntl(output, F_SETFL, 0) == 0
        else {
            close(output)
            return nil
        }
        return (process, output)
    }
}
