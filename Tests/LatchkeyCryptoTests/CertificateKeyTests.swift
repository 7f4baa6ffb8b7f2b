import LatchkeyCrypto
import Testing

@Suite("The key in a certificate")
struct CertificateKeyTests {
    /// Made by `openssl req -x509 -newkey rsa:2048`; the digest by
    /// `openssl x509 -pubkey -noout | openssl pkey -pubin -outform DER | openssl dgst -sha256 -binary | base64`.
    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIC/zCCAeegAwIBAgIUeglGvORgvRpONM2UyknhvL7+wVkwDQYJKoZIhvcNAQEL
        BQAwDzENMAsGA1UEAwwEdGVzdDAeFw0yNjExMjUwMDU5MzVaFw00NjExMjAwMDU5
        MzVaMA8xDTALBgNVBAMMBHRlc3QwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEK
        AoIBAQDFa4NTulRSB/fy2nFPSM6teBYbSpKZUD1wJGyLl/SsuKNgmbuCQnq7F3nm
        KeT4deU44LViil82Xz4KAFq9Iz0HAw5UTjmhXqth9aoj0LPydvdNEFwAKqtw8GZ7
        6I5i7MLog376nMPiWJLGHfIq4MZIuU7ZWnBOXEsIqK6gBTKN1Ukk09H+Re+FraGE
        ua1tSvPdyA5CE54HxTzGX28vowdgj0GKYwcBWu4qmPyghs9A9btbKNYS0fPmVb+r
        vQJoKnHC2wYKtiYDbA3Y2O5E99TTdIn7LVwCYLYqAUPP1GkZ8xlNJY6yImOtQlaD
        UxkDHGGS56GIXHAu/1Xd/wdjKOorAgMBAAGjUzBRMB0GA1UdDgQWBBTsWO+hEDR8
        omOyyCVZ5n+4lJqweDAfBgNVHSMEGDAWgBTsWO+hEDR8omOyyCVZ5n+4lJqweDAP
        BgNVHRMBAf8EBTADAQH/MA0GCSqGSIb3DQEBCwUAA4IBAQB08Kt/50/fAb8aUOX4
        192/K0qeez1W4wIZNWZGUj8aN6SJCGPhumQgJD4bmkTCI/qipdkaeqcwoCdc/Z5N
        GIgM/QMlcom634qgLVfrbhSYSzwf5d0w1qe6+Lv9swtSgtKXWBNJ4mbHWt8YG0pi
        xm8DnwEZfGTNtxHjQJY6MUvMHFE9rZr/PsHS2Z2k1e3sec0SJ8bVqOXhSFDtldqM
        8u3t24cHCCViQ7y7eadslznSAdf4Mb+pyB3ldKOM+7VSnRw5tZZJ4UG/Er4xTvcq
        FlYoD1C+iWftpP5gCBiXd4kBcBmz87s3yPab8PVj7oDnwEFqvVpUkQXYE9Ytgh7D
        1MQy
        -----END CERTIFICATE-----
        """
    private static let digest = "P0kg5k4aWEpeUacC+rImhpM62bSF1K4iUZKsq6RnpKc="

    @Test("Its digest is the one that the openssl program computes, and of several certificates the first counts")
    func digest() throws {
        #expect(Base64.encode(try CertificateKey.digest(pem: Self.certificate)) == Self.digest)
        #expect(Base64.encode(try CertificateKey.digest(pem: Self.certificate + "\nmore")) == Self.digest)
    }

    @Test(
        "What is no certificate is refused",
        arguments: [
            "", "certificate", String(certificate.dropLast(400)), certificate.replacing("CERTIFICATE", with: "KEY"),
            String(repeating: "\n", count: 65_537) + certificate, certificate.replacing("MII", with: "AII"),
        ])
    func refused(text: String) {
        let error = #expect(throws: CryptoError.self) { try CertificateKey.digest(pem: text) }
        #expect(error?.code == .invalidKey)
    }
}
