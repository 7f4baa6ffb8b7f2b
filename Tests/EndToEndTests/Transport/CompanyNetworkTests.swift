import Foundation
import Latchkey
import LatchkeyJSON
import Testing

@Suite(
    "The tool in a company's network: its own authority, and a proxy", .serialized,
    .enabled(if: Gateway.Kind.nginx.isWanted, Comment(rawValue: Gateway.Kind.nginx.missing)))
struct CompanyNetworkTests {
    private static let proxyComment = Comment(rawValue: Gateway.Kind.tinyproxy.missing)
    private let tool: Tool
    private let company: CompanyIssuer

    init() async throws { (tool, company) = (try Tool(), try await CompanyIssuer.start()) }

    /// Whatever proxy this machine itself has is none of it.
    private static let noProxy = [
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
    ].reduce(into: [String: String]()) { $0[$1] = "" }

    private func login(_ more: [String], environment: [String: String] = [:]) async throws -> Program.Result {
        let path = "\(tool.folder.path)/secret"
        try? SystemFiles().writeNew(path, Array(CompanyIssuer.secret.utf8))
        return try await tool.start(
            [
                "login", "--issuer", company.issuer, "--client-id", "robot", "--client-credentials",
                "--client-secret-file", path,
            ] + more, environment: Self.noProxy.merging(environment) { $1 }
        ).wait()
    }

    private func run(_ words: String..., environment: [String: String] = [:]) async throws -> Program.Result {
        try await tool.start(words, environment: Self.noProxy.merging(environment) { $1 }).wait()
    }

    /// Nobody is signed in, no token was given, and the message has no secret.
    private func expectRefusal(_ result: Program.Result, _ status: Int32, _ words: [String]) async throws {
        #expect(result.status == status, "\(result.errors)")
        for word in words { #expect(result.errors.contains(word), "\(word): \(result.errors)") }
        #expect(company.tokens == 0)
        #expect(!result.errors.contains(CompanyIssuer.secret) && !result.errors.contains("s3cr3t"))
        #expect(try await run("token").status != 0)
    }

    @Test("with the authority's file the tool signs in, and every later command uses it, from any directory")
    func authority() async throws {
        let signedIn = try await login(["--ca-file", company.caFile])
        #expect(signedIn.status == 0 && company.tokens == 1, "\(signedIn.errors)")
        let token = try await run("token")
        #expect(token.line == "\(CompanyIssuer.token)-1")
        let renewed = try await run("token", "--min-validity", "10h")
        #expect(renewed.status == 0 && company.tokens == 2, "\(renewed.errors)")
        let shown = try await run("profiles", "show", "default", "--json").output
        #expect(shown.contains(company.caFile))
    }

    @Test("without it the login is refused, in one sentence that names the issuer, and a hint that names --ca-file")
    func noAuthority() async throws {
        let english = try await login([])
        try await expectRefusal(
            english, 9, ["The certificate of \(company.issuer) is signed by itself", "hint: ", "--ca-file FILE"])
        #expect(english.errors.split(separator: "\n").count == 2)
        let french = try await login([], environment: ["LC_ALL": "fr_FR.UTF-8"])
        try await expectRefusal(
            french, 9, ["Le certificat de \(company.issuer) est signé par lui-même", "conseil : ", "--ca-file FICHIER"])
        #expect(!french.errors.contains("certificate"))
        let json = try await login(["--json"], environment: ["LC_ALL": "fr_FR.UTF-8"])
        #expect(json.errorJSON?["code"]?.string == "untrusted.tls")
        #expect(json.errorJSON?["message"]?.string?.hasPrefix("The certificate of") == true)
    }

    @Test(
        "a file that is missing, empty, no PEM or a directory is named, and nothing is sent",
        arguments: ["missing", "empty", "text", "directory"])
    func badFile(kind: String) async throws {
        let path = "\(tool.folder.path)/\(kind)"
        switch kind {
        case "empty": try SystemFiles().writeNew(path, [])
        case "text": try SystemFiles().writeNew(path, Array("-----BEGIN CERTIFICATE-----\nAAAA\n".utf8))
        case "directory": try SystemFiles().makeDirectory(path)
        default: break
        }
        try await expectRefusal(
            try await login(["--ca-file", path]), 8, ["The file \(path) cannot be read", "hint: ", "--ca-file FILE"])
    }

    @Test("an authority's file that is gone later is named too, and the session is kept")
    func goneFile() async throws {
        let path = "\(tool.folder.path)/authority.pem"
        try FileManager.default.copyItem(atPath: company.caFile, toPath: path)
        #expect(try await login(["--ca-file", path]).status == 0)
        try FileManager.default.removeItem(atPath: path)
        let refresh = try await run("refresh")
        #expect(refresh.status == 8 && refresh.errors.contains(path), "\(refresh.errors)")
        #expect(try await run("token").line == "\(CompanyIssuer.token)-1")
        let mended = try await run("profiles", "edit", "default", "--ca-file", company.caFile)
        #expect(mended.status == 0, "\(mended.errors)")
        #expect(try await run("refresh").status == 0)
    }

    @Test("--verbose is in the person's language, and names of the protocol stay")
    func verbose() async throws {
        let french = ["LC_ALL": "fr_FR.UTF-8"]
        let signedIn = try await login(["--ca-file", company.caFile, "--verbose"], environment: french)
        let line = try #require(signedIn.errors.split(separator: "\n").first { $0.hasPrefix("< 200 ") })
        #expect(line.contains(" octets)") && line.contains("json(") && !line.contains("bytes"))
        #expect(signedIn.errors.contains("> POST \(company.issuer)/token [Authorization: Basic …] form("))
        try await withoutFile(french)
        let english = try await run("refresh", "--verbose")
        #expect(english.errors.contains(" bytes) ") && !english.errors.contains("octets"), "\(english.errors)")
    }

    private func withoutFile(_ environment: [String: String]) async throws {
        _ = try await run("profiles", "edit", "default", "--clear", "ca-file")
        let refused = try await run("refresh", "--verbose", environment: environment)
        #expect(refused.errors.contains("! Le certificat de \(company.issuer) est signé par"), "\(refused.errors)")
        _ = try await run("profiles", "edit", "default", "--ca-file", company.caFile)
    }

    // MARK: - Proxies

    @Test(
        "through a proxy the tool signs in, and later commands too; the proxy sees host and port, and no secret",
        .enabled(if: Gateway.Kind.tinyproxy.isWanted, proxyComment))
    func proxy() async throws {
        let proxy = try await Gateway.start(.tinyproxy)
        let signedIn = try await login(
            ["--ca-file", company.caFile, "--proxy", "http://127.0.0.1:\(proxy.port)"])
        #expect(signedIn.status == 0, "\(signedIn.errors)")
        let first = try tunnels(of: proxy)
        #expect(first > 0)
        #expect(try await run("token", "--min-validity", "10h").status == 0)
        #expect(try tunnels(of: proxy) > first)
        #expect(company.tokens == 2)
        let log = try proxy.lines(of: "server.log").joined(separator: "\n")
        for secret in [CompanyIssuer.secret, CompanyIssuer.token, "robot", "/token"] { #expect(!log.contains(secret)) }
    }

    private func tunnels(of proxy: Gateway) throws -> Int {
        try proxy.lines(of: "server.log").count { $0.contains("CONNECT 0.0.0.0:\(company.port)") }
    }

    @Test("through a proxy that is not there, nothing is sent past it, and the proxy is the one that is named")
    func noProxyThere() async throws {
        let port = try HeldServer.freePort()
        let result = try await login(["--ca-file", company.caFile, "--proxy", "http://127.0.0.1:\(port)"])
        try await expectRefusal(result, 4, ["the proxy http://127.0.0.1:\(port) ", "hint: ", "--proxy"])
        let french = try await login(
            ["--ca-file", company.caFile, "--proxy", "http://127.0.0.1:\(port)"],
            environment: ["LC_ALL": "fr_FR.UTF-8"])
        try await expectRefusal(french, 4, ["le mandataire http://127.0.0.1:\(port) ", "conseil : "])
        let environment = try await login(
            ["--ca-file", company.caFile], environment: ["https_proxy": "http://name:s3cr3t@127.0.0.1:\(port)"])
        try await expectRefusal(environment, 4, ["the proxy http://127.0.0.1:\(port) "])
    }

    @Test(
        "a proxy that wants a password is named, and the environment's password opens it",
        .enabled(if: Gateway.Kind.tinyproxy.isWanted, proxyComment))
    func password() async throws {
        let proxy = try await Gateway.start(.tinyproxy, ["--user", "name:s3cr3t"])
        let url = "http://127.0.0.1:\(proxy.port)"
        let refused = try await login(["--ca-file", company.caFile, "--proxy", url])
        try await expectRefusal(
            refused, 4, ["the proxy \(url) wants a valid name and password", "hint: ", "https_proxy"])
        let given = ["https_proxy": "http://name:s3cr3t@127.0.0.1:\(proxy.port)"]
        let signedIn = try await login(["--ca-file", company.caFile, "--verbose"], environment: given)
        #expect(signedIn.status == 0 && !signedIn.errors.contains("s3cr3t"), "\(signedIn.errors)")
        // The password is nowhere but in the environment.
        #expect(!FilesBelow.content(tool.configuration).contains("s3cr3t"))
        #expect(!FilesBelow.content(tool.data).contains("s3cr3t"))
    }

    @Test("a password in --proxy, and an address that is no proxy's, are refused before anything is sent")
    func badProxy() async throws {
        for (value, word) in [
            ("http://name:s3cr3t@127.0.0.1:1", "https_proxy="), ("ftp://127.0.0.1:1", "is not a proxy's address"),
            ("http://", "is not a proxy's address"), ("://x", "is not a proxy's address"),
        ] {
            try await expectRefusal(try await login(["--proxy", value]), 2, [word])
        }
    }

    @Test(
        "a certificate that has expired is refused with its date in each language, through a proxy too",
        .enabled(if: Gateway.Kind.tinyproxy.isWanted, proxyComment))
    func expired() async throws {
        guard let server = try await TLSIssuer.start(days: -1, host: "0.0.0.0") else { return }
        let proxy = try await Gateway.start(.tinyproxy)
        for more in [[], ["--proxy", "http://127.0.0.1:\(proxy.port)"]] {
            let words =
                ["login", "--issuer", server.issuer, "--client-id", "a", "--device", "--ca-file", server.caFile] + more
            let english = try await tool.start(words, environment: Self.noProxy).wait()
            try await expectRefusal(english, 9, ["The certificate of \(server.issuer) expired on ", "clock"])
            #expect(english.errors.contains(/expired on \d{4}-\d\d-\d\d \d\d:\d\d UTC, or/), "\(english.errors)")
            let variables = Self.noProxy.merging(["LC_ALL": "fr_FR.UTF-8"]) { $1 }
            let french = try await tool.start(words, environment: variables).wait()
            #expect(french.status == 9)
            #expect(french.errors.contains(/a expiré le \d{4}-\d\d-\d\d \d\d:\d\d UTC, ou/), "\(french.errors)")
            #expect(french.errors.contains("conseil : Vérifiez l’horloge"))
        }
        let log = try proxy.lines(of: "server.log").joined()
        #expect(log.contains("CONNECT 0.0.0.0:\(server.issuer.split(separator: ":").last ?? "")"))
    }

    @Test(
        "a proxy that cannot reach the issuer is named with its answer, and the certificate behind one is the issuer's",
        .enabled(if: Gateway.Kind.tinyproxy.isWanted, proxyComment))
    func behind() async throws {
        let proxy = try await Gateway.start(.tinyproxy)
        let url = "http://127.0.0.1:\(proxy.port)"
        let untrusted = try await login(["--proxy", url])
        try await expectRefusal(
            untrusted, 9, ["The certificate of \(company.issuer) is signed by itself", "--ca-file"])
        let nowhere = "https://0.0.0.0:\(try HeldServer.freePort())"
        let lost = try await run(
            "login", "--issuer", nowhere, "--client-id", "a", "--device", "--proxy", url)
        try await expectRefusal(lost, 4, ["the proxy \(url) opens no connection to it, and answered HTTP 5"])
    }
}
