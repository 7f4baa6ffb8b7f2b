import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore
import Proofs
import Testing

private func request(_ scopes: [String] = ["openid", "offline_access"]) throws -> AuthorizationRequest {
    AuthorizationRequest(
        clientID: "notes", redirect: "http://127.0.0.1:4603/cb", scopes: scopes, state: Secret("st"),
        nonce: Secret("no"), pkce: try #require(ProofKey(random: [UInt8](repeating: 1, count: 32))))
}

@Suite("The authorization request (RFC 6749, section 4.1.1)")
struct AuthorizationRequestTests {
    @Test(
        "it asks for a code with an S256 challenge, and the verifier stays at home", .standard(6, 10, 22), .need("B6"))
    func contents() throws {
        let request = try request()
        let url = try request.url(at: "https://id.example/authorize")
        let query = try #require(FormEncoding.decode(WebAddress(url)?.query ?? ""))
        let shown = query.pairs.map { "\($0.name)=\($0.value)" }
        #expect(
            shown == [
                "response_type=code", "client_id=notes", "redirect_uri=http://127.0.0.1:4603/cb",
                "scope=openid offline_access", "state=st", "nonce=no",
                "code_challenge=\(request.pkce.challenge)", "code_challenge_method=S256", "prompt=consent",
            ])
        #expect(!url.contains(request.pkce.verifier.revealText()))
    }

    @Test("everything optional is sent when it is set, a resource as often as it is named", .standard(7))
    func optional() throws {
        var request = try request(["openid"])
        #expect(request.parameters["prompt"] == nil)
        request.prompt = "login"
        request.maxAge = .seconds(60)
        request.loginHint = "ada@example.com"
        request.acr = ["gold", "silver"]
        request.locales = ["de-DE", "de"]
        request.resources = ["https://a.example", "https://b.example"]
        request.extra = [("access_type", "offline"), ("state", "forged"), ("code_challenge_method", "plain")]
        let form = request.parameters
        #expect(form["prompt"] == "login" && form["max_age"] == "60" && form["login_hint"] == "ada@example.com")
        #expect(form["acr_values"] == "gold silver" && form["ui_locales"] == "de-DE de")
        #expect(form.count(of: "resource") == 2 && form["access_type"] == "offline")
        #expect(form.count(of: "state") == 1 && form["state"] == "st")
        #expect(form.count(of: "code_challenge_method") == 1 && form["code_challenge_method"] == "S256")
    }

    @Test(
        "a strength is demanded as an essential claim where the service takes claims, and by acr_values elsewhere, never by both"
    )
    func essential() throws {
        let claims = #"{"id_token":{"acr":{"essential":true,"values":["gold","silver"]}}}"#
        for (takes, acr) in [(true, ["gold", "silver"]), (false, ["gold", "silver"]), (true, []), (false, [])] {
            var request = try request(["openid"])
            (request.demandsACR, request.acr) = (takes, acr)
            let form = request.parameters
            #expect(form["claims"] == (takes && !acr.isEmpty ? claims : nil))
            #expect(form["acr_values"] == (takes || acr.isEmpty ? nil : "gold silver"))
        }
        // What the caller says of claims stays as it is.
        var request = try request(["openid"])
        (request.demandsACR, request.acr, request.extra) = (true, ["gold"], [("claims", "{}")])
        #expect(request.parameters["claims"] == "{}" && request.parameters["acr_values"] == "gold")
        // Without `openid` there is no ID token to have it in.
        request.extra = []
        request.nonce = nil
        #expect(request.parameters["claims"] == nil && request.parameters["acr_values"] == "gold")
    }

    @Test("asking for offline access asks for consent, unless the app says otherwise")
    func consent() throws {
        var request = try request()
        #expect(request.parameters["prompt"] == "consent")
        request.prompt = "login"
        #expect(request.parameters["prompt"] == "login")
        request.asksConsent = false
        #expect(request.parameters["prompt"] == "login")
        request.prompt = nil
        #expect(request.parameters["prompt"] == nil)
        request.asksConsent = true
        request.scopes = ["openid"]
        #expect(request.parameters["prompt"] == nil)
    }

    @Test("a query that the endpoint has already is kept")
    func endpointQuery() throws {
        #expect(
            try request().url(at: "https://id.example/a?t=1").hasPrefix("https://id.example/a?t=1&response_type=code&"))
        #expect(try request().url(at: "https://id.example/a?").hasPrefix("https://id.example/a?response_type=code&"))
    }

    @Test(
        "nobody is sent to an endpoint that is not safe", .standard(15),
        arguments: [
            "http://id.example/a", "https://id.example/a#b", "javascript:alert(1)", "/authorize",
            "https://u@id.example/",
        ])
    func unsafe(_ endpoint: String) throws {
        let request = try request()
        #expect(failure { () throws(AuthError) in _ = try request.url(at: endpoint) }?.code == .configuration(.invalid))
    }
}

private func transaction(_ change: (inout AuthorizationTransaction) -> Void = { _ in }) -> AuthorizationTransaction {
    var transaction = AuthorizationTransaction(
        state: Secret("st-1"), nonce: Secret("no"), verifier: Secret("ve"), redirect: "http://127.0.0.1:4603/cb",
        issuer: "https://id.example", client: "notes", scopes: ["openid"], createdAt: noon, namesIssuer: true)
    change(&transaction)
    return transaction
}

@Suite("The redirect (RFC 6749, section 4.1.2; RFC 9207)")
struct AuthorizationResponseTests {
    private static let base = "http://127.0.0.1:4603/cb"
    private static let issuer = "iss=https%3A%2F%2Fid.example"

    @Test("a redirect that passes every check gives its code", .standard(45))
    func success() throws {
        let came = "\(Self.base)?code=c%2B1&state=st-1&\(Self.issuer)&session_state=x&unknown=1&unknown=2#_=_"
        #expect(try AuthorizationResponse.check(Secret(came), against: transaction()) == Secret("c+1"))
    }

    @Test(
        "where no issuer is configured, an `iss` has to be on the origin of one of the service's endpoints",
        arguments: [
            ("https%3A%2F%2Fid.example", true), ("https%3A%2F%2Fid.example%2Ftenant", true),
            ("https%3A%2F%2Ftoken.example%3A8443", true), ("https%3A%2F%2Fevil.example", false),
            ("http%3A%2F%2Fid.example", false), ("https%3A%2F%2Ftoken.example", false), ("id.example", false),
        ])
    func origins(_ issuer: String, _ isRight: Bool) throws {
        let transaction = transaction {
            ($0.issuer, $0.namesIssuer) = ("", false)
            $0.origins = ["https://id.example", "https://token.example:8443"]
        }
        let kept = try AuthorizationTransaction(json: transaction.json)
        let came = Secret("\(Self.base)?code=c&state=st-1&iss=\(issuer)")
        let error = failure { () throws(AuthError) in _ = try AuthorizationResponse.check(came, against: kept) }
        #expect(error?.code == (isRight ? nil : .untrusted(.issuer)))
        let without = Secret("\(Self.base)?code=c&state=st-1")
        #expect(try AuthorizationResponse.check(without, against: kept) == Secret("c"))
    }

    static let refusals: [Row<String, AuthError.Code>] = [
        Row("another port", "http://127.0.0.1:4604/cb?code=c&state=st-1&\(issuer)", .untrusted(.redirect)),
        Row("another path", "http://127.0.0.1:4603/cb/?code=c&state=st-1&\(issuer)", .untrusted(.redirect)),
        Row("another case of the path", "http://127.0.0.1:4603/CB?code=c&state=st-1&\(issuer)", .untrusted(.redirect)),
        Row("another host", "http://localhost:4603/cb?code=c&state=st-1&\(issuer)", .untrusted(.redirect)),
        Row("another scheme", "https://127.0.0.1:4603/cb?code=c&state=st-1&\(issuer)", .untrusted(.redirect)),
        Row("user information", "http://a@127.0.0.1:4603/cb?code=c&state=st-1&\(issuer)", .untrusted(.redirect)),
        Row("no address", "code=c&state=st-1", .untrusted(.redirect)),
        Row("nothing", "", .untrusted(.redirect)),
        Row("a broken escape", "\(base)?code=%&state=st-1&\(issuer)", .untrusted(.redirect)),
        Row("code twice", "\(base)?code=c&code=c&state=st-1&\(issuer)", .untrusted(.redirect)),
        Row("state twice", "\(base)?code=c&state=st-1&state=st-1&\(issuer)", .untrusted(.redirect)),
        Row("iss twice", "\(base)?code=c&state=st-1&\(issuer)&\(issuer)", .untrusted(.redirect)),
        Row("error twice", "\(base)?error=a&error=b&state=st-1&\(issuer)", .untrusted(.redirect)),
        Row("twice, escaped", "\(base)?code=c&c%6Fde=d&state=st-1&\(issuer)", .untrusted(.redirect)),
        Row("another state", "\(base)?code=c&state=st-2&\(issuer)", .untrusted(.state)),
        Row("a longer state", "\(base)?code=c&state=st-11&\(issuer)", .untrusted(.state)),
        Row("an empty state", "\(base)?code=c&state=&\(issuer)", .untrusted(.state)),
        Row("no state", "\(base)?code=c&\(issuer)", .untrusted(.state)),
        Row("an error without state", "\(base)?error=access_denied", .untrusted(.state)),
        Row("an error with another state", "\(base)?error=access_denied&state=x", .untrusted(.state)),
        Row("everything in the fragment", "\(base)#code=c&state=st-1&\(issuer)", .untrusted(.state)),
        Row("another issuer", "\(base)?code=c&state=st-1&iss=https%3A%2F%2Fevil.example", .untrusted(.issuer)),
        Row("the issuer with a slash", "\(base)?code=c&state=st-1&\(issuer)%2F", .untrusted(.issuer)),
        Row("no issuer though promised", "\(base)?code=c&state=st-1", .untrusted(.issuer)),
        Row("an error of another issuer", "\(base)?error=access_denied&state=st-1&iss=x", .untrusted(.issuer)),
        Row("the person said no", "\(base)?error=access_denied&state=st-1&\(issuer)", .declined),
        Row("a bad scope", "\(base)?error=invalid_scope&state=st-1&\(issuer)", .refused(.scope)),
        Row("a bad resource", "\(base)?error=invalid_target&state=st-1&\(issuer)", .refused(.scope)),
        Row("sign-in needed", "\(base)?error=login_required&state=st-1&\(issuer)", .refused(.denied)),
        Row(
            "more proof needed", "\(base)?error=unmet_authentication_requirements&state=st-1&\(issuer)",
            .refused(.factorRequired)),
        Row("a fault there", "\(base)?error=server_error&state=st-1&\(issuer)", .serviceTrouble),
        Row("overload there", "\(base)?error=temporarily_unavailable&state=st-1&\(issuer)", .serviceTrouble),
        Row(
            "a client that may not", "\(base)?error=unauthorized_client&state=st-1&\(issuer)",
            .configuration(.clientRefused)),
        Row("a faulty request", "\(base)?error=invalid_request&state=st-1&\(issuer)", .configuration(.invalid)),
        Row(
            "no such response type", "\(base)?error=unsupported_response_type&state=st-1&\(issuer)",
            .configuration(.unsupported)),
        Row("an unknown error", "\(base)?error=hush%20hush&state=st-1&\(issuer)", .refused(.other)),
        Row("an error and a code", "\(base)?error=access_denied&code=c&state=st-1&\(issuer)", .declined),
        Row("no code", "\(base)?state=st-1&\(issuer)", .untrusted(.malformed)),
        Row("an empty code", "\(base)?code=&state=st-1&\(issuer)", .untrusted(.malformed)),
    ]

    @Test("the first check that fails decides", .standard(1, 5, 10, 45), arguments: refusals)
    func refused(_ row: Row<String, AuthError.Code>) throws {
        let error = try #require(
            failure { () throws(AuthError) in
                _ = try AuthorizationResponse.check(Secret(row.input), against: transaction())
            })
        #expect(error.code == row.expected)
        #expect(!"\(error)".contains("st-1") && !"\(error)".contains("hush"))
    }

    @Test("an error without state is named, and still counts for nothing", .standard(3))
    func stateMissing() {
        let error = failure { () throws(AuthError) in
            _ = try AuthorizationResponse.check(Secret("\(Self.base)?error=access_denied"), against: transaction())
        }
        #expect(error?.message == "The redirect has no `state`; it carries the error `access_denied`.")
    }

    @Test("a no is told as one, with the place where it was said")
    func denied() {
        let error = failure { () throws(AuthError) in
            _ = try AuthorizationResponse.check(
                Secret("\(Self.base)?error=access_denied&state=st-1&\(Self.issuer)"), against: transaction())
        }
        #expect(error?.message == "The sign-in was denied in the browser, by you or by the service (`access_denied`).")
    }

    @Test("an issuer that is not promised is compared when it comes, and not missed when it does not", .standard(5))
    func issuerNotPromised() throws {
        let transaction = transaction { $0.namesIssuer = false }
        #expect(
            try AuthorizationResponse.check(Secret("\(Self.base)?code=c&state=st-1"), against: transaction)
                == Secret("c"))
        let error = failure { () throws(AuthError) in
            _ = try AuthorizationResponse.check(Secret("\(Self.base)?code=c&state=st-1&iss=x"), against: transaction)
        }
        #expect(error?.code == .untrusted(.issuer))
    }

    @Test("a redirect with a query of its own must bring it back, and it is not taken for an answer")
    func ownQuery() throws {
        let transaction = transaction { $0.redirect = "https://app.example/cb?code=own" }
        let came = "https://app.example/cb?code=own&code=c&state=st-1&\(Self.issuer)"
        #expect(try AuthorizationResponse.check(Secret(came), against: transaction) == Secret("c"))
        for lost in ["code=c&state=st-1&\(Self.issuer)", "code=other&code=c&state=st-1&\(Self.issuer)"] {
            let error = failure { () throws(AuthError) in
                _ = try AuthorizationResponse.check(Secret("https://app.example/cb?\(lost)"), against: transaction)
            }
            #expect(error?.code == .untrusted(.redirect))
        }
    }

    @Test("a private scheme and a host without path are compared too")
    func otherForms() throws {
        let app = transaction { $0.redirect = "com.example.app:/cb" }
        let came = "?code=c&state=st-1&\(Self.issuer)"
        #expect(try AuthorizationResponse.check(Secret("com.example.app:/cb" + came), against: app) == Secret("c"))
        #expect(
            failure { () throws(AuthError) in
                _ = try AuthorizationResponse.check(Secret("com.example.app:/cc" + came), against: app)
            } != nil)
        let accented = transaction { $0.redirect = "com.example.app:/K\u{e9}" }
        #expect(throws: AuthError.self) {
            try AuthorizationResponse.check(
                Secret("com.example.app:/\u{212A}e\u{301}?code=c&state=st-1&\(Self.issuer)"), against: accented)
        }
        let bare = transaction { $0.redirect = "http://127.0.0.1:4603" }
        #expect(try AuthorizationResponse.check(Secret("http://127.0.0.1:4603/" + came), against: bare) == Secret("c"))
    }
}

@Suite("The transaction behind a redirect")
struct AuthorizationTransactionTests {
    @Test("it comes back from its record, with what it does not know")
    func roundTrip() throws {
        var original = transaction {
            $0.maxAge = .seconds(30)
            $0.resources = ["https://a.example"]
        }
        original.createdAt = Date(timeIntervalSince1970: 1_795_229_352.25)
        var record = try #require(original.json.object)
        record["later"] = .array([.bool(true)])
        let read = try AuthorizationTransaction(json: .object(record))
        #expect(read.json == .object(record))
        #expect(
            read.verifier == original.verifier && read.createdAt == original.createdAt && read.maxAge == .seconds(30))
        #expect("\(original)" == "authorization transaction")
    }

    @Test(
        "a record that lacks a member is refused by name",
        arguments: ["state", "verifier", "redirect", "issuer", "client", "created_at"])
    func missing(_ member: String) throws {
        var record = try #require(transaction().json.object)
        record[member] = nil
        let broken = JSON.object(record)
        let error = failure { () throws(JSONError) in _ = try AuthorizationTransaction(json: broken) }
        #expect(error == JSONError(.missing, at: "$.\(member)"))
    }
}
