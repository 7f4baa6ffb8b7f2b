import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Testing

@testable import LatchkeySupabase

@Suite("A Supabase provider's configuration")
struct ConfigurationTests {
    @Test("a project, its whole address, and a service of one's own come to the same kind of address")
    func addresses() {
        let key = "sb_publishable_k"
        let hosted: [SupabaseProvider] = [
            "https://abc.supabase.co", "https://abc.supabase.co/", "https://abc.supabase.co/auth/v1",
        ]
        .map { .supabase(projectURL: $0, publishableKey: key) }
        #expect(Set(hosted.map(\.authURL)) == ["https://abc.supabase.co/auth/v1"])
        let own: SupabaseProvider = .supabase(authURL: "http://127.0.0.1:9999/", named: "mine")
        #expect(own.authURL == "http://127.0.0.1:9999" && own.publishableKey == nil && own.name == "mine")
        #expect(own.rules.binding == ProviderBinding(provider: "mine", authority: own.authURL, client: "supabase"))
    }

    @Test("a new key does not sign anybody out")
    func keyRotation() {
        let old: SupabaseProvider = .supabase(projectURL: "https://a.test", publishableKey: "anon")
        let new: SupabaseProvider = .supabase(projectURL: "https://a.test", publishableKey: "sb_publishable_x")
        #expect(old.rules.binding == new.rules.binding)
    }

    private func refusal(
        _ url: String = "https://a.test", _ key: String = "k", redirect: String? = nil
    ) throws -> AuthError? {
        let provider: SupabaseProvider = .supabase(projectURL: url, publishableKey: key, redirect: redirect)
        do throws(AuthError) {
            try provider.checkConfiguration()
            return nil
        } catch {
            #expect(error.code == .configuration(.invalid))
            return error
        }
    }

    @Test(
        "an address that secrets must not be sent to, or that is none, is refused",
        arguments: [
            "http://a.test", "a.test", "", "https://a.test?x=1", "ftp://a.test", "https://a b.test", "https://a.test#x",
        ])
    func wrongURL(_ url: String) throws { #expect(try refusal(url)?.message.contains("project URL") == true) }

    @Test("loopback may be plain http")
    func loopback() throws {
        for host in ["127.0.0.1", "localhost", "[::1]"] { #expect(try refusal("http://\(host):8000") == nil) }
    }

    @Test("an issuer that a network could answer for, or that is no address, is not trusted")
    func trustedIssuers() throws {
        var provider: SupabaseProvider = .supabase(projectURL: "https://a.test", publishableKey: "k")
        provider.trustedIssuers = ["https://auth.example.com/auth/v1", "http://127.0.0.1:54321/auth/v1"]
        try provider.checkConfiguration()
        for issuer in [
            "", "auth.example.com", "http://auth.example.com", "https://", "https://a.test?x=1", "https://a.test#x",
        ] {
            provider.trustedIssuers = ["https://auth.example.com/auth/v1", issuer]
            let error = #expect(throws: AuthError.self) { try provider.checkConfiguration() }
            #expect(error?.code == .configuration(.invalid) && error?.message.contains("issuer") == true)
        }
    }

    @Test("a secret key does not belong into an app")
    func secretKeys() throws {
        #expect(try refusal("https://a.test", "sb_secret_abc")?.message.contains("secret") == true)
        #expect(
            try refusal("https://a.test", accessToken(["role": "service_role"]))?.message.contains("secret") == true)
        #expect(try refusal("https://a.test", accessToken(["role": "anon"])) == nil)
        #expect(try refusal("https://a.test", "")?.message.contains("key") == true)
        #expect(try refusal("https://a.test", "a\r\nb")?.message.contains("key") == true)
    }

    @Test(
        "a redirect that the service would silently replace is refused",
        arguments: [
            "app:/cb", "APP://cb", "APP://", "http://a.test/cb", "app://cb#x", "app://#", "app:///cb#x", "cb", "",
            "://",
            "http://", "https:///cb", "app:// ", "app:////cb", "app://a@b",
        ])
    func redirects(_ redirect: String) async throws {
        #expect(try refusal(redirect: redirect)?.message.contains("redirect") == true)
        let scene = Scene()
        var options = SignInOptions()
        options.redirect = redirect
        let error = try await trouble { _ = try await scene.begin(.signIn(.browser(connection: "github")), options) }
        #expect(error.code == .configuration(.invalid) && scene.transport.requests.isEmpty)
    }

    @Test(
        "the good ones are taken",
        arguments: [
            "app://cb", "app://cb?x", "https://a.test/cb?x=1", "http://127.0.0.1:5/cb", "app://", "app:///path",
            "app://?x=1", "app:///path?x=1",
        ])
    func goodRedirects(_ redirect: String) throws { #expect(try refusal(redirect: redirect) == nil) }
}
