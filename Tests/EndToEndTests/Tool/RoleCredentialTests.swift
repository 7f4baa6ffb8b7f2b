import Latchkey
import LatchkeyHTTPServer
import LatchkeyJSON
import LatchkeySystem
import Testing

@testable import LatchkeyCommand

/// A small STS, which answers what a test says.
private final class RoleService: Sendable {
    let received = Locked<[ServerRequest]>([])
    private let server: HTTPServer

    /// - Parameter first: What is answered to the first request, in place of the rest.
    init(_ body: String, status: Int = 200, first: String? = nil) throws {
        server = try HTTPServer { [received] request in
            let isFirst = received.withLock { received in
                received.append(request)
                return received.count == 1
            }
            if isFirst, let first {
                return ServerResponse(status: 400, fields: [("Content-Type", "text/xml")], body: Array(first.utf8))
            }
            return ServerResponse(status: status, fields: [("Content-Type", "text/xml")], body: Array(body.utf8))
        }
    }

    var address: String { "http://127.0.0.1:\(server.port)" }

    var form: [String: String] {
        let pairs = received.withLock { $0.last }.flatMap { FormPairs.decode($0.body) } ?? []
        return Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
    }
}

@Suite("credential aws", .timeLimit(.minutes(2))) struct RoleCredentialTests {
    private static let role = "arn:aws:iam::123456789012:role/me"
    private static let answer = """
        <?xml version="1.0"?>
        <AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
          <AssumeRoleWithWebIdentityResult>
            <SubjectFromWebIdentityToken>user-ada</SubjectFromWebIdentityToken>
            <Credentials>
              <SessionToken>session+token/one&#61;&amp;=</SessionToken>
              <SecretAccessKey>secret/key</SecretAccessKey>
              <Expiration>2030-01-02T03:04:05Z</Expiration>
              <AccessKeyId>ASIAEXAMPLE</AccessKeyId>
            </Credentials>
          </AssumeRoleWithWebIdentityResult>
          <ResponseMetadata><RequestId>1</RequestId></ResponseMetadata>
        </AssumeRoleWithWebIdentityResponse>
        """

    private static func refusal(_ code: String, _ message: String) -> String {
        "<ErrorResponse><Error><Type>Sender</Type><Code>\(code)</Code><Message>\(message)</Message></Error>"
            + "<RequestId>1</RequestId></ErrorResponse>"
    }

    private func ask(_ scene: SignedIn, _ sts: RoleService, _ more: String...) async throws -> Program.Result {
        try await scene.start(
            ["credential", "aws", "--role-arn", Self.role, "--endpoint", sts.address] + more
        ).wait()
    }

    @Test("what AWS programs read comes from the role that the ID token gets, and one unsigned request asks for it")
    func takes() async throws {
        let (scene, sts) = (try await SignedIn(), try RoleService(Self.answer))
        let result = try await ask(scene, sts, "--duration", "20m", "--session-name", "ada@laptop", "--verbose")
        #expect(
            result.output
                == #"{"AccessKeyId":"ASIAEXAMPLE","Expiration":"2030-01-02T03:04:05Z","SecretAccessKey":"secret/key","#
                + #""SessionToken":"session+token/one=&=","Version":1}"# + "\n", "\(result.errors)")
        let token = try await scene.run("token", "--id").line
        #expect(
            sts.form == [
                "Action": "AssumeRoleWithWebIdentity", "Version": "2011-06-15", "RoleArn": Self.role,
                "RoleSessionName": "ada@laptop", "DurationSeconds": "1200", "WebIdentityToken": token,
            ])
        let request = try #require(sts.received.withLock { $0.first })
        #expect(request.method == "POST" && request.path == "/" && request.field("Authorization") == nil)
        #expect(result.errors.contains("> POST \(sts.address)/ form(") && result.errors.contains("< 200 ("))
        for secret in [token, "secret/key", "session+token", "ASIAEXAMPLE", "laptop"] {
            #expect(!result.errors.contains(secret), "\(secret.prefix(6))")
        }
    }

    @Test("the access token goes only when it is asked for; then the defaults are an hour and the tool's name")
    func accessToken() async throws {
        let (scene, sts) = (try await SignedIn(), try RoleService(Self.answer))
        #expect(try await ask(scene, sts, "--access-token").status == 0)
        #expect(sts.form["WebIdentityToken"] == (try await scene.run("token").line))
        #expect(sts.form["RoleSessionName"] == "latchkey" && sts.form["DurationSeconds"] == nil)
    }

    @Test(
        "a refusal names AWS's code, its sentence and what to do",
        arguments: [
            ("ExpiredTokenException", 400, Int32(6), "latchkey refresh"),
            ("InvalidIdentityToken", 400, 6, "OpenID Connect provider"),
            ("AccessDenied", 403, 6, "trust policy"), ("IDPRejectedClaim", 403, 6, "trust policy"),
            ("IDPCommunicationError", 400, 4, "hint: "), ("Throttling", 400, 4, "hint: "),
            ("ValidationError", 400, 8, "options"), ("RegionDisabledException", 403, 8, "options"),
        ])
    func refuses(_ code: String, _ httpStatus: Int, _ status: Int32, _ hint: String) async throws {
        let scene = try await SignedIn()
        let sts = try RoleService(Self.refusal(code, "It says &quot;no&quot;."), status: httpStatus)
        let result = try await ask(scene, sts)
        #expect(result.status == status && result.output.isEmpty, "\(result.errors)")
        #expect(result.errors.hasPrefix("latchkey: \(sts.address) does not give the role, \(code): It says \"no\"\n"))
        #expect(result.errors.contains(hint), "\(result.errors)")
    }

    @Test(
        "a token that AWS refuses is refreshed, once, and the role taken with the new one",
        arguments: ["ExpiredTokenException", "InvalidIdentityToken", "IDPRejectedClaim"],
        [[], ["--access-token"]])
    func refreshes(_ code: String, options: [String]) async throws {
        let scene = try await SignedIn()
        let sts = try RoleService(Self.answer, first: Self.refusal(code, "no"))
        let result = try await scene.start(
            ["credential", "aws", "--role-arn", Self.role, "--endpoint", sts.address] + options
        ).wait()
        #expect(result.status == 0 && result.output.contains("ASIAEXAMPLE"), "\(result.errors)")
        let tokens = sts.received.withLock { $0 }.compactMap { request in
            FormPairs.decode(request.body)?.first { $0.name == "WebIdentityToken" }?.value
        }
        #expect(tokens.count == 2 && Set(tokens).count == 2)
    }

    @Test(
        "a refusal of the role, and not of the token, refreshes nothing",
        arguments: ["AccessDenied", "ValidationError"])
    func refusesRole(_ code: String) async throws {
        let scene = try await SignedIn()
        let token = try await scene.run("token").line
        let sts = try RoleService(Self.refusal(code, "no"), status: 403)
        #expect(try await ask(scene, sts).status != 0)
        #expect(sts.received.withLock { $0.count } == 1)
        #expect(try await scene.run("token").line == token)
    }

    @Test("a refusal that repeats the token is shown without its sentence")
    func echo() async throws {
        let scene = try await SignedIn()
        for number in 0..<4 {
            // Each refusal brings another token.
            let token = try await scene.run("token", "--id").line
            let part = number == 0 ? token : String(token.split(separator: ".")[number - 1])
            let sts = try RoleService(Self.refusal("InvalidIdentityToken", "Not good: \(part)"), status: 400)
            let result = try await ask(scene, sts)
            #expect(result.status == 6 && !result.errors.contains(part))
            #expect(result.errors.hasPrefix("latchkey: \(sts.address) does not give the role, InvalidIdentityToken\n"))
        }
    }

    @Test("a refusal that repeats a long part of the token is shown without its sentence, and without such a code")
    func parts() async throws {
        let scene = try await SignedIn()
        for cut in [10, 30] {
            let token = try await scene.run("token").line
            let part = String(token.dropFirst(cut).prefix(14))
            for (code, said) in [("AccessDenied", "Not good: \(part)"), (part.filter(\.isLetter), "Not good")] {
                let sts = try RoleService(Self.refusal(code, said), status: 403)
                let result = try await ask(scene, sts, "--access-token")
                #expect(result.status != 0 && !result.errors.contains(part), "\(result.errors)")
            }
        }
    }

    @Test(
        "an answer of another form is no credential, and nothing of it is printed",
        arguments: [
            (200, ""), (200, "{}"), (200, "<html></html>"), (403, "<html>marked</html>"), (302, "marked"),
            (200, answer.replacing("<AccessKeyId>ASIAEXAMPLE</AccessKeyId>", with: "")),
            (200, answer.replacing("ASIAEXAMPLE", with: "")), (200, answer.replacing("ASIAEXAMPLE", with: "a b")),
            (200, answer.replacing("2030-01-02T03:04:05Z", with: "soon")),
            (200, answer.replacing("</Credentials>", with: "<AccessKeyId>x</AccessKeyId></Credentials>")),
            (200, answer.replacing("<Credentials>", with: "<Credentials><!-- marked -->")), (200, answer + "marked"),
            (200, String(answer.dropLast(3))), (200, refusal("AccessDenied", "marked")),
        ])
    func foreign(_ status: Int, _ body: String) async throws {
        let scene = try await SignedIn()
        let result = try await ask(scene, try RoleService(body, status: status))
        #expect(result.status == 9 && result.output.isEmpty, "\(result.errors)")
        #expect(!result.errors.contains("marked") && !result.errors.contains("secret/key"))
    }

    @Test("the endpoint of the environment is asked as the AWS programs ask it: STS's own first, unless it is ignored")
    func environment() async throws {
        let (scene, sts, other) = (
            try await SignedIn(), try RoleService(Self.answer), try RoleService("no", status: 400)
        )
        func ask(_ variables: [String: String], _ more: String...) async throws -> Program.Result {
            try await scene.tool.start(
                ["credential", "aws", "--role-arn", Self.role] + more, environment: variables
            ).wait()
        }
        #expect(try await ask(["AWS_ENDPOINT_URL": sts.address]).status == 0)
        #expect(
            try await ask(["AWS_ENDPOINT_URL_STS": sts.address, "AWS_ENDPOINT_URL": other.address]).status == 0)
        #expect(try await ask(["AWS_ENDPOINT_URL_STS": "", "AWS_ENDPOINT_URL": sts.address]).status == 0)
        #expect(
            try await ask(["AWS_ENDPOINT_URL_STS": other.address], "--endpoint", sts.address).status == 0)
        #expect(
            try await ask(
                ["AWS_ENDPOINT_URL": other.address, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "True"], "--endpoint",
                sts.address
            ).status == 0)
        #expect(other.received.withLock { $0.isEmpty })
        for (name, value) in [
            ("AWS_ENDPOINT_URL", "http://sts.example"), ("AWS_ENDPOINT_URL_STS", "sts.example"),
            ("AWS_ENDPOINT_URL", "https://sts.example/?a=b"), ("AWS_ENDPOINT_URL", "file:///etc/passwd"),
        ] {
            let refused = try await ask([name: value])
            #expect(refused.status == 2 && refused.errors.contains("The value of $\(name) must be an https address"))
            #expect(!refused.errors.contains("sts.example"))
        }
    }

    @Test("trouble of the service, and one that is not there, can be tried later")
    func trouble() async throws {
        let scene = try await SignedIn()
        #expect(try await ask(scene, try RoleService("down", status: 503)).status == 4)
        let gone = try await scene.run(
            "credential", "aws", "--role-arn", Self.role, "--endpoint", "http://127.0.0.1:9")
        #expect(gone.status == 4 && gone.output.isEmpty)
    }

    @Test(
        "what STS would refuse anyway, or where no token may go, is a mistake in the command line",
        arguments: [
            [], ["--role-arn", "me"], ["--role-arn", role, "--session-name", "a"],
            ["--role-arn", role, "--session-name", "a b"], ["--role-arn", role, "--duration", "14m"],
            ["--role-arn", role, "--duration", "13h"], ["--role-arn", role, "--region", "evil.example/"],
            ["--role-arn", role, "--endpoint", "http://sts.example/"],
            ["--role-arn", role, "--endpoint", "https://sts.example/?a=b"],
        ] as [[String]])
    func mistakes(_ words: [String]) async throws {
        let result = try await Tool().start(["credential", "aws"] + words).wait()
        #expect(result.status == 2 && result.output.isEmpty, "\(result.errors)")
    }

    @Test(
        "where no region is named, each partition of AWS is asked at its own address",
        arguments: [
            ("arn:aws:iam::123456789012:role/me", "https://sts.amazonaws.com/"),
            ("arn:aws-cn:iam::123456789012:role/me", "https://sts.cn-north-1.amazonaws.com.cn/"),
            ("arn:aws-us-gov:iam::123456789012:role/me", "https://sts.us-gov-west-1.amazonaws.com/"),
        ])
    func partitions(_ role: String, _ address: String) { #expect(RoleRequest.usualEndpoint(for: role) == address) }

    @Test("the reader of XML takes nothing that could be expanded, and no document without an end")
    func reader() throws {
        let good = try #require(StrictXML(Array("<a x='>' y=\"/>\"><b/>t&amp;&#x41;<b>u</b><c >v</c ></a>\n".utf8)))
        #expect(good.name == "a" && good.text == "t&A" && good["c"]?.text == "v")
        #expect(good["b"] == nil, "There are two.")
        #expect(StrictXML(Array("\u{FEFF}<?xml version='1.0'?><a>t</a>".utf8))?.text == "t")
        #expect(StrictXML(Array("\u{FEFF}\u{FEFF}<a/>".utf8)) == nil)
        let deep = String(repeating: "<a>", count: 17) + String(repeating: "</a>", count: 17)
        for bad in [
            "", "a", "<a>", "<a", "<a></b>", "<a></ab>", "<a/><b/>", "<a>&x;</a>", "<a>&amp</a>", "<a>&#0;</a>",
            "<a>&#xD800;</a>", "<!DOCTYPE a><a/>", "<a><![CDATA[x]]></a>", "<a><!-- x --></a>", "<a><?x?></a>",
            "<?xml <a/>", "<1/>", "< a/>", "<a x='<'/><", deep,
        ] {
            #expect(StrictXML(Array(bad.utf8)) == nil, "\(bad)")
        }
        #expect(StrictXML([0x3C, 0x61, 0x3E, 0xFF, 0x3C, 0x2F, 0x61, 0x3E]) == nil)
        #expect(StrictXML(Array("<a>\(String(repeating: "x", count: StrictXML.limit))</a>".utf8)) == nil)
    }
}
