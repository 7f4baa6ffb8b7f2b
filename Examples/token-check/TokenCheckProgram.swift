import Latchkey
import LatchkeyCurl
import LatchkeyJSON

/// Reads access tokens from standard input, one in a line, and prints what a server would answer.
///
///     token-check https://id.example.com https://api.example.com https://id.example.com/jwks
@main
struct TokenCheckProgram {
    static func main() async {
        let words = CommandLine.arguments
        guard words.count == 4 else { return print("usage: token-check ISSUER AUDIENCE KEYS_URL < tokens") }
        let check = TokenCheck(issuer: words[1], audience: words[2], keysAt: words[3], transport: CurlTransport())
        while let line = readLine() {
            do {
                let claims = try await check.claims(of: Secret(line))
                print("200: subject \(claims["sub"]?.string ?? "unknown")")
            } catch {
                print("401, WWW-Authenticate: Bearer error=\"invalid_token\": \(error.reason)")
            }
        }
    }
}
