public import Latchkey

/// Observations that the tests of every bridge use.
public enum Samples {
    /// One of each kind, and some twice.
    public static let all: [AuthObservation] = [
        .request(method: "GET", origin: "https://id.example.com", status: 200, took: .milliseconds(12)),
        .request(method: "POST", origin: "https://id.example.com:8443", status: nil, took: .seconds(2)),
        .retry(method: "GET", origin: "https://id.example.com", status: 503, wait: .seconds(1)),
        .refresh("notes", .refreshed, took: .milliseconds(200)), .refresh("notes", .refused, took: .zero),
        .refusal(.resource, .fresh), .refusal(.service, .credential), .refusal("billing", .expired),
        .store(.credential, .replace, .conflict, took: .microseconds(7)),
        .storeFailure(.credential, .replace, .store(.full)), .lockWait(.store, .busy, took: .seconds(20)),
        .lockWait(.queue, .acquired, took: .zero), .signIn("notes", .password, failure: nil, took: .seconds(4)),
        .signIn("notes", nil, failure: .refused(.wrongInput), took: .seconds(1)), .signInRequired("notes", .expired),
        .reauthentication(.expired, by: .sameAccount, after: .seconds(86_400)),
        .firstToken(.stored, took: .milliseconds(9)), .signOut("notes", .queued), .gate(locked: false),
        .gate(locked: true), .unlock(.usual, .biometrics, failure: nil, took: .seconds(1)),
        .unlock(.fallback, nil, failure: .declined, took: .seconds(3)),
        .pins(host: "id.example.com", .refused, seen: nil), .integrity(.debuggerAttached),
    ]

    /// Texts that try to forge a line, a field or a label.
    public static let foreign = [
        "a b=\"c\"\n2027-01-15T08:00:00.000Z gate locked=true\r\u{1B}[2K\u{202E}\u{0}", "a\"} 1\nevil_total 7\n", "é",
        "\u{1F511}", "", "/?token=x", String(repeating: "x", count: 100_000),
    ]
}
