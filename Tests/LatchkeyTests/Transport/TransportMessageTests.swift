import FoundationEssentials
import LatchkeyTesting
import Testing

@testable import Latchkey

@Suite("what a failed request says") struct TransportMessageTests {
    @Test("every cause has a sentence of its own, which names the host")
    func causes() {
        var sentences: Set<String> = []
        for cause in TransportError.Cause.allCases {
            var error = TransportError(.unreachable, wasSent: false, cause: cause)
            error.origin = "https://id.example.com:8443"
            // Where the machine's own file is the culprit, it is what the sentence names.
            error.file = "/etc/ca.pem"
            let place = cause == .authorityFile ? "/etc/ca.pem" : "https://id.example.com:8443"
            #expect(error.message.contains(place) && error.message.hasSuffix("."))
            #expect(!error.message.contains("{") && !error.text(in: .french).contains("{"))
            sentences.insert(error.message)
        }
        #expect(sentences.count == TransportError.Cause.allCases.count)
    }

    @Test("whatever is not known of a failure or of an answer, no sentence has a hole", arguments: [true, false])
    func holes(isKnown: Bool) {
        let causes: [TransportError.Cause?] = [nil] + TransportError.Cause.allCases
        let codes = [TransportError.Code.unreachable, .timedOut, .interrupted, .tooLarge, .tls, .pinMismatch]
        var sentences: [String] = []
        for (code, cause) in codes.flatMap({ code in causes.map { (code, $0) } }) {
            var error = TransportError(code, wasSent: false, cause: cause)
            if isKnown { error.certificate = RefusedCertificate() }
            sentences += TextLanguage.allCases.map { error.text(in: $0) }
        }
        for status in [200, 301, 302, 308, 401, 403, 404, 407, 413, 418, 429, 500, 511] {
            var answer = ForeignAnswer(
                TransportResponse(status: status), from: isKnown ? "https://id.example.com/token" : nil)
            for kind in ForeignAnswer.Kind.allCases {
                answer.kind = kind
                sentences += TextLanguage.allCases.map { answer.text(in: $0) }
            }
        }
        for sentence in sentences {
            #expect(!sentence.contains("{") && !sentence.contains("  ") && !sentence.contains("?"), "\(sentence)")
            #expect(!sentence.hasSuffix(" ") && !sentence.contains(" ,") && !sentence.contains(": ."))
        }
    }

    @Test("no language lacks a sentence, and each code has one")
    func languages() {
        #expect(TransportError.texts.gaps == [] && TransportError.words.gaps == [])
        let codes = [
            TransportError.Code.unreachable, .timedOut, .interrupted, .tooLarge, .tls, .pinMismatch, .invalidRequest,
            .libraryMissing,
        ]
        for code in codes { #expect(TransportError.texts.keys.contains(code.rawValue)) }
    }

    @Test("what is known of a certificate and a proxy is said, and an error keeps it")
    func details() {
        var error = TransportError(.tls, wasSent: false, cause: .certificateExpired)
        error.certificate = RefusedCertificate(notAfter: Date(timeIntervalSince1970: 1_577_836_800))
        #expect(error.message.hasPrefix("The certificate of the service expired on 2020-01-01 00:00 UTC, "))
        error.proxy = "https://proxy.example.com:3128"
        #expect(error.message.hasPrefix("The certificate of the proxy https://proxy.example.com:3128 expired on "))
        #expect(AuthError(error).transport?.certificate == error.certificate)
        var refused = TransportError(.unreachable, wasSent: false, cause: .proxyRefused)
        (refused.proxy, refused.proxyStatus) = ("http://p:1", 502)
        #expect(
            refused.text(in: .french)
                == "Le service est injoignable : le mandataire http://p:1 n’ouvre pas de connexion vers lui, et a répondu HTTP 502"
        )
    }

    @Test("without a host it is the service, and no sentence holds more of the address than the origin")
    func plain() async throws {
        #expect(TransportError(.unreachable, wasSent: false).message == "The service cannot be reached.")
        #expect(TransportError(.interrupted, wasSent: true).message == "The connection to the service broke.")
        let transport = ScriptedTransport()
        let url = "https://id.example.com/token?code=s3cr3t"
        transport.expect("GET", url, .failure(TransportError(.unreachable, wasSent: false, cause: .noSuchHost)))
        let measured = MeasuredTransport(transport, .testing())
        let error = await #expect(throws: TransportError.self) {
            try await measured.send(TransportRequest("GET", url), deadline: .seconds(1))
        }
        #expect(error?.message.hasPrefix("https://id.example.com cannot be reached: there is no such host") == true)
        #expect(error?.message.contains("s3cr3t") == false)
    }
}
