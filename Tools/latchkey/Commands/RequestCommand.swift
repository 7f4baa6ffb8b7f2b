import Latchkey
import LatchkeyJSON

extension Option {
    static let allowOrigin = value(
        "allow-origin", "ORIGIN", .url, "Lets the token go to this origin, such as https://api.example.com",
        repeats: true)
    static let header = value(
        "header", "LINE", .text, "Adds a header field, such as 'Accept: text/plain'", repeats: true)
    static let bodyFile = value("body", "FILE", .file, "Sends this file's content; - is standard input, up to 16 MiB")
    static let timeout = value("timeout", "DURATION", .duration, "Gives up after this long; 30s if not given")
}

extension Command {
    static let request = Command(
        name: "request", summary: "Sends a request with an access token, and prints the answer",
        details: [
            "The token goes only to the origins that --allow-origin or the profile names; the token of a Supabase project"
                + " also to the project itself, with its key in the field apikey. Redirects are not followed. A token that the resource refuses is refreshed once, and the request"
                + " repeated once. The answer's content goes to standard output, as it is; at a"
                + " terminal, without what would steer it.",
            "Ends with 0 for an answer below 400, with 10 for a redirect, with 6 for an answer from 400 to 499, with 4 for"
                + " 429 and for one from 500 on.",
        ],
        examples: [
            Example("latchkey request https://api.example.com/me", "manual.example.request"),
            "latchkey request post https://api.example.com/notes --body note.json --header 'Content-Type: application/json'",
        ],
        output: [
            ("body", "The content, where it is UTF-8"), ("bodyBase64", "The content, where it is not"),
            ("headers", "A list of objects: name, value"), ("status", "The status code"),
        ],
        options: [.allowOrigin, .header, .bodyFile, .timeout, .audience, .account, .verbose, .profile, .json],
        operands: [
            Operand(
                placeholder: "METHOD", kind: .anyCase(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]),
                count: .leading(usual: "GET"),
                help: "GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS; GET if not given"),
            Operand(placeholder: "URL", kind: .url, count: .one, help: "The address"),
        ],
        run: { invocation in
            let request = try ResourceRequest(invocation)
            let workplace = try await Workplace.open(invocation, invocation.profile())
            let response = try await request.send(from: workplace)
            try show(response, invocation)
            if let status = tellRedirect(response, invocation) { return status }
            guard response.status >= 400 else { return .success }
            let words = invocation.texts(key(for: response.status), ["status": "\(response.status)"])
            invocation.console.note("latchkey: \(words)")
            return response.status == 429 || response.status >= 500 ? .later : .refused
        })

    private static func show(_ response: TransportResponse, _ invocation: Invocation) throws {
        guard invocation.arguments.has(.json) else {
            // A program gets exactly what the service sent; a terminal would obey control characters in it.
            let isShown = invocation.console.isTerminal(.output)
            return try invocation.console.write(
                .output, isShown ? Console.printableText(response.body) : response.body)
        }
        try invocation.show(ResourceRequest.json(response), [])
    }

    /// Says where a redirect leads, which is not followed: the token may not be meant for it. Returns `nil` for any
    /// other answer.
    private static func tellRedirect(
        _ response: TransportResponse, _ invocation: Invocation
    ) -> ExitStatus? {
        guard [301, 302, 303, 307, 308].contains(response.status) else { return nil }
        let target = response.fields["Location"].map { Console.printable(String($0.prefix(1_024))) }
        let values = ["status": "\(response.status)", "target": target ?? ""]
        let words = invocation.texts(target == nil ? "answer.redirectNowhere" : "answer.redirect", values)
        invocation.console.note("latchkey: \(words)")
        if target != nil {
            let hint = invocation.texts("hint.redirected")
            invocation.console.note(invocation.texts("hint", ["hint": hint]))
        }
        return .redirected
    }

    private static func key(for status: Int) -> String {
        switch status {
        case 401: "answer.unauthorized"
        case 429: "answer.tooMany"
        default: "answer.answered"
        }
    }
}
