import Latchkey
import Proofs
import Testing

@testable import LatchkeyClerk

@Suite("The publishable key") struct PublishableKeyTests {
    @Test(
        "names the instance, with its padding or without",
        arguments: [
            ("pk_test_bW9jay5jbGVyay5hY2NvdW50cy5kZXYk", "mock.clerk.accounts.dev"),
            ("pk_test_ZXhhbXBsZS5hY2NvdW50cy5kZXYk", "example.accounts.dev"),
            ("pk_live_Y2xlcmsuZXhhbXBsZS5jb20k", "clerk.example.com"),
            ("pk_test_Y2xlcmsuZXhhbXBsZS5pbyQ=", "clerk.example.io"),
            ("pk_test_Y2xlcmsuZXhhbXBsZS5pbyQ", "clerk.example.io"),
        ])
    func host(_ text: String, _ host: String) throws {
        let key = try PublishableKey(text)
        #expect(key.host == host)
        #expect((key.stage == .production) == text.hasPrefix("pk_live_"))
    }

    @Test(
        "is refused when it is none, and the error says why", .complaint(.clerk, 16),
        arguments: [
            ("", "begin"), ("sk_test_abc", "secret key"), ("pk_dev_Y2xlcmsuZXhhbXBsZS5jb20k", "neither"),
            ("pk_test", "form"), ("pk_test_Y2xlcmsuZXhhbXBsZS5jb20k_x", "form"), ("pk_test_", "Base64"),
            ("pk_test_!!!", "Base64"), ("pk_test_Y2xlcmsuZXhhbXBsZS5jb20", "cut off"),
            ("pk_test_Y2xlcmskLmV4YW1wbGUuY29tJA", "host"), ("pk_test_bG9jYWxob3N0JA", "host"),
            ("pk_test_Y2xlcmsuZXhhbXBsZS5jb206ODA4MCQ", "host"), ("pk_test_YS4uYiQ", "host"),
            ("pk_test_Y2xlcmsuZXhhbXBsZS5jb20veCQ", "host"), (" pk_test_ZXhhbXBsZS5hY2NvdW50cy5kZXYk", "begin"),
            ("pk_test_ZXhhbXBsZS5h=Y2NvdW50cy5kZXYk", "Base64"),
        ])
    func refused(_ text: String, _ reason: String) {
        let error = #expect(throws: AuthError.self) { try PublishableKey(text) }
        #expect(error?.code == .configuration(.invalid))
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        #expect(throws: AuthError.self) {
            try AuthClient.Builder().provider(.clerk(publishableKey: text)).store(.memory).build()
        }
    }

    @Test(
        "a proxy is an address of https, or on this machine", .complaint(.clerk, 16),
        arguments: ["http://example.com/__clerk", "example.com", "https://example.com/x?y=1", "https://example.com/#f"])
    func proxy(_ url: String) {
        let provider: ClerkProvider = .clerk(
            publishableKey: "pk_test_ZXhhbXBsZS5hY2NvdW50cy5kZXYk", proxyURL: url)
        #expect(throws: AuthError.self) { try provider.checkConfiguration() }
    }
}
