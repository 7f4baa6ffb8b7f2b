import Latchkey
import LatchkeyCurl

/// Sends by libcurl, and with `--verbose` writes a line for each request and each answer to standard error.
struct VerboseTransport: TrustNaming {
    private let base: CurlTransport
    private let console: Console?
    private let clock: any AuthClock
    private let texts: ToolTexts

    var trust: String { base.trust }

    /// Creates a transport that tells of its requests if the command line asks for that.
    init(_ base: CurlTransport, _ invocation: Invocation) {
        self.base = base
        console = invocation.arguments.has(.verbose) ? invocation.console : nil
        clock = invocation.world.clock
        texts = invocation.shown
    }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        guard let console else { return try await base.send(request, deadline: deadline) }
        console.note("> " + ExchangeLine.of(request))
        let begin = clock.now()
        do {
            let response = try await base.send(request, deadline: deadline)
            console.note("< " + ExchangeLine.of(response, after: clock.now() - begin, texts))
            if let said = ExchangeLine.said(in: response, to: request, texts) { console.note(said) }
            return response
        } catch {
            console.note("! " + ExchangeLine.of(error, to: request, after: clock.now() - begin, texts))
            throw error
        }
    }
}
