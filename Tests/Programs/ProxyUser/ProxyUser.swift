import Latchkey
import LatchkeyCurl

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// Sends what it is told, a line a request, over one transport, and tells what came of each. A process of its own,
/// because the environment says which proxy to use.
///
/// A line is `METHOD URL WRITING BODY`, where `-` is no body; the answer is the status, or the error.
@main
struct ProxyUser {
    static func main() async {
        let transport = CurlTransport(caFile: CommandLine.arguments.dropFirst().first)
        while let line = readLine() {
            print(await outcome(of: line.split(separator: " ").map(String.init), over: transport))
            fflush(nil)
        }
    }

    private static func outcome(of words: [String], over transport: CurlTransport) async -> String {
        guard words.count == 4 else { return "a line is METHOD URL WRITING BODY" }
        var request = TransportRequest(words[0], words[1], body: words[3] == "-" ? nil : Array(words[3].utf8))
        if words[2] == "once" { request.writing = .once }
        do {
            return "\(try await transport.send(request, deadline: .seconds(60)).status)"
        } catch {
            return "\(error)"
        }
    }
}
