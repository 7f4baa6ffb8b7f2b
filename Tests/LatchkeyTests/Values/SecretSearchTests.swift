import Latchkey
import Testing

@Suite("The search for secrets in a service's text") struct SecretSearchTests {
    private static let token = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhZGEiLCJub25jZSI6Im4ifQ.c2lnbmF0dXJl"

    @Test(
        "finds a secret that is cut, split, encoded or in other letters",
        arguments: [
            token, String(token.dropFirst(10)), String(token.dropLast(56)), "Token " + token.dropFirst(20).prefix(12),
            token.uppercased(), token.replacing(".", with: "%2E"), token.replacing(".", with: " . "),
            token.map { "\($0)-" }.joined(),
        ])
    func finds(_ text: String) {
        #expect(SecretSearch([Self.token]).finds(in: "Not good: \(text), try again"))
        #expect(ServiceText("Not good: \(text), try again", hiding: [Self.token]) == nil)
    }

    @Test(
        "finds a short secret as a whole, also with other characters between its own",
        arguments: [("short-one", "short-one"), ("hunter2hunter", "hunter2-hunter"), ("a b c", "a b c")])
    func short(_ secret: String, _ text: String) { #expect(SecretSearch([secret]).finds(in: "see \(text)!")) }

    @Test(
        "leaves a sentence alone that shares words with a name, a sentence or an address",
        arguments: [
            "anna.with-a-long-name@example.com", "this is a very long sentence of a person",
            "https://app.example.com/callback/of/this/app", "abc", "",
        ])
    func leaves(_ sent: String) {
        let text = "A very long name at example.com/callback is not allowed"
        #expect(!SecretSearch([sent]).finds(in: text))
        #expect(ServiceText(text, hiding: [sent])?.words == text)
    }

    @Test("finds a ticket that an address carries")
    func ticket() {
        let ticket = "Zm9vYmFyYmF6cXV4MTIzNDU2"
        #expect(SecretSearch(["https://app.example/cb?ticket=\(ticket)"]).finds(in: "no \(ticket.dropFirst(8))"))
    }
}
