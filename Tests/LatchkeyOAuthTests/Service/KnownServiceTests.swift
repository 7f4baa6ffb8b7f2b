import Latchkey
import LatchkeyOAuthCore
import Testing

@testable import LatchkeyOAuth

@Suite("what is known of services") struct KnownServiceTests {
    @Test(
        "a service that is known to need no consent for offline access is not asked for it, any other is",
        arguments: [
            ("https://accounts.google.com", false), ("https://login.microsoftonline.com/common/v2.0", false),
            ("https://login.microsoftonline.us/8eaef023-2b34-4da1-9baa-8bc8c9d6a490/v2.0", false),
            ("https://acme.eu.auth0.com/", false), ("https://acme.okta.com/oauth2/default", false),
            ("https://id.example/realms/lk", false), ("https://id.example/auth/realms/lk", false),
            ("https://id.example", true), ("https://id.example/realms", true), ("https://id.example/realms/", true),
            ("https://id.example/realms/lk/more", true), ("https://auth0.com.evil.example", true),
            ("https://evilauth0.com", true), ("https://accounts.google.com.evil.example", true), ("", true),
        ])
    func consent(_ issuer: String, _ isNeeded: Bool) {
        #expect(KnownService.at(issuer).needsConsent == isNeeded)
    }

    @Test("only the shared issuers of Entra have a template, and only at Entra's own hosts")
    func entra() {
        let text = "https://login.microsoftonline.com/{tenantid}/v2.0"
        for (issuer, template) in [
            ("https://login.microsoftonline.com/common/v2.0", IssuerTemplate(text)),
            ("https://login.microsoftonline.com/organizations/v2.0", IssuerTemplate(text)),
            (
                "https://login.microsoftonline.com/consumers/v2.0",
                IssuerTemplate(text, tenant: "9188040d-6c67-4c5b-b112-36a304b66dad")
            ),
            ("https://login.microsoftonline.com/8eaef023-2b34-4da1-9baa-8bc8c9d6a490/v2.0", nil),
            ("https://login.microsoftonline.com/common", nil), ("https://login.microsoftonline.com/common/v2.0/", nil),
            ("https://login.microsoftonline.com.evil.example/common/v2.0", nil),
            ("https://id.example/common/v2.0", nil),
        ] as [(String, IssuerTemplate?)] {
            #expect(KnownService.at(issuer).issuerTemplate == template, "\(issuer)")
        }
        #expect(KnownService.at("https://id.example/common/v2.0").tenantKeys == nil)
        #expect(KnownService.at("https://login.microsoftonline.com/x/v2.0").tenantKeys?.text == text)
    }

    @Test("the app's own word about consent counts, whatever is known of the service")
    func ownWord() {
        let provider: OAuthProvider = .oauth(
            issuer: "https://id.example", clientID: "a", trustedAudiences: ["project"], asksConsent: false)
        #expect(provider.trustedAudiences == ["project"] && provider.asksConsent == false)
        #expect(OAuthProvider(issuer: "https://id.example", clientID: "a").asksConsent == nil)
    }
}
