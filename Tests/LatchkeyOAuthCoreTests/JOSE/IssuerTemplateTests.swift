import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyOAuthCore
import Testing

@Suite("Issuers of many tenants") struct IssuerTemplateTests {
    private static let tenant = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490"
    private static let other = "82229342-1101-4ab6-817b-70c0747630f3"
    private static let text = "https://login.example/{tenantid}/v2.0"
    private static let issuer = "https://login.example/\(tenant)/v2.0"

    private static func code(
        issuer: JSON?, tid: JSON?, only: String? = nil, keyIssuer: String? = nil
    ) throws -> JOSEError.Code? {
        let template = IssuerTemplate(text, tenant: only)
        var key = JSONWebKey(try IDTokenTests.signer.get().publicKey)
        key.issuer = keyIssuer
        var rules = IDTokenTests.rules
        rules.issuer = "https://login.example/common/v2.0"
        (rules.issuerTemplate, rules.tenantKeys) = (template, IssuerTemplate(text))
        do throws(JOSEError) {
            let token = Result { try IDTokenTests.token([("iss", issuer), ("tid", tid)]) }
            guard case .success(let token) = token else { return .unavailable }
            let claims = try IDToken.validate(token, keys: JSONWebKeySet([key]), rules: rules)
            #expect(claims.issuer == issuer?.string)
            return nil
        } catch { return error.code }
    }

    @Test("the issuer of an ID token is that of its own tenant, whose id is a GUID, and no other")
    func own() throws {
        #expect(try Self.code(issuer: .string(Self.issuer), tid: .string(Self.tenant)) == nil)
        for (issuer, tid) in [
            (.string(Self.issuer), .string(Self.other)), (.string(Self.issuer), nil), (.string(Self.text), nil),
            (.string(Self.text), "{tenantid}"), ("https://login.example/common/v2.0", .string(Self.tenant)),
            ("https://login.example/evil/v2.0", "evil"), ("https://login.example//v2.0", ""),
            (.string("https://login.example/\(Self.tenant)x/v2.0"), .string(Self.tenant + "x")),
            (.string("https://login.example/a/../\(Self.tenant)/v2.0"), .string("a/../\(Self.tenant)")),
            (.string(Self.issuer.uppercased()), .string(Self.tenant)),
            (.string(Self.issuer), .string(" " + Self.tenant)),
            ("https://login.example/8eaef0232b344da19baa8bc8c9d6a490/v2.0", "8eaef0232b344da19baa8bc8c9d6a490"),
        ] as [(JSON?, JSON?)] {
            #expect(try Self.code(issuer: issuer, tid: tid) == .issuer, "\(issuer?.string ?? "") \(tid?.string ?? "")")
        }
        #expect(try Self.code(issuer: .string(Self.issuer), tid: 1) == .claims)
        #expect(try Self.code(issuer: nil, tid: .string(Self.tenant)) == .missingClaim)
    }

    @Test("where there is one tenant only, another is refused")
    func only() throws {
        #expect(try Self.code(issuer: .string(Self.issuer), tid: .string(Self.tenant), only: Self.tenant) == nil)
        #expect(try Self.code(issuer: .string(Self.issuer), tid: .string(Self.tenant), only: Self.other) == .issuer)
    }

    @Test("a key that names an issuer is for the tokens of that one")
    func keys() throws {
        for (written, expected) in [
            (nil, nil), (Self.text, nil), (Self.issuer, nil), ("", nil),
            ("https://login.example/\(Self.other)/v2.0", .issuer), ("https://evil.example/{tenantid}/v2.0", .issuer),
        ] as [(String?, JOSEError.Code?)] {
            let key = written.flatMap { $0.isEmpty ? nil : $0 }
            #expect(
                try Self.code(issuer: .string(Self.issuer), tid: .string(Self.tenant), keyIssuer: key) == expected,
                "\(written ?? "-")")
        }
    }

    @Test("a document of the shared issuer names the template, or the only tenant; no other service may name one")
    func documents() throws {
        func document(_ issuer: String) -> [UInt8] {
            JSON.object(["issuer": .string(issuer), "token_endpoint": "https://login.example/token"]).serialized()
        }
        let common = "https://login.example/common/v2.0"
        func read(_ named: String, _ template: IssuerTemplate?) throws(AuthError) -> String {
            try ServerMetadata.read(document(named), issuer: common, template: template).issuer
        }
        #expect(try read(Self.text, IssuerTemplate(Self.text)) == common)
        #expect(try read(Self.issuer, IssuerTemplate(Self.text, tenant: Self.tenant)) == common)
        for (named, template) in [
            (Self.text, nil), (Self.issuer, IssuerTemplate(Self.text)),
            ("https://login.example/{tenantid}/v1.0", IssuerTemplate(Self.text)),
            ("https://evil.example/{tenantid}/v2.0", IssuerTemplate(Self.text)),
            (Self.issuer, IssuerTemplate(Self.text, tenant: Self.other)),
        ] as [(String, IssuerTemplate?)] {
            #expect(failure { () throws(AuthError) in _ = try read(named, template) }?.code == .untrusted(.issuer))
        }
    }
}
