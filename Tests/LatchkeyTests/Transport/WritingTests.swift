import Latchkey
import Testing

@Suite("Whether a request may be written twice")
struct WritingTests {
    private static func request(
        _ method: String, _ writing: TransportRequest.Writing = .byMethod, fields: HeaderFields = [:]
    ) -> TransportRequest {
        var request = TransportRequest(method, "https://api.example.com/notes", fields: fields)
        request.writing = writing
        return request
    }

    @Test(
        "If it does not say so, an idempotent method may",
        arguments: ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"])
    func idempotent(method: String) { #expect(Self.request(method).mayBeWrittenTwice) }

    @Test("and any other may not", arguments: ["POST", "PATCH", "CONNECT", "LOCK", "get", "", "GET "])
    func others(method: String) { #expect(!Self.request(method).mayBeWrittenTwice) }

    @Test(
        "A precondition would be answered otherwise the second time", arguments: ["PUT", "DELETE"],
        ["If-Match", "if-none-match", "If-Unmodified-Since"])
    func preconditions(method: String, field: String) {
        #expect(!Self.request(method, fields: HeaderFields([(field, "\"a\"")])).mayBeWrittenTwice)
    }

    @Test("What the request says itself counts more than its method", arguments: ["GET", "POST"])
    func said(method: String) {
        #expect(Self.request(method, .twice).mayBeWrittenTwice)
        #expect(!Self.request(method, .once).mayBeWrittenTwice)
        #expect(!Self.request(method, .onceOnNewConnection).mayBeWrittenTwice)
    }

    @Test("What must not be repeated is not written twice, whatever it says", arguments: ["GET", "POST"])
    func notRepeated(method: String) {
        for writing in [TransportRequest.Writing.byMethod, .twice] {
            var request = Self.request(method, writing)
            request.mayBeRepeated = false
            #expect(!request.mayBeWrittenTwice)
        }
    }
}
