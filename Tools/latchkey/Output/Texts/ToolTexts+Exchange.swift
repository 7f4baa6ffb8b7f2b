import Latchkey

extension ToolTexts {
    /// What `--verbose` says of answers and failures. Names of headers, methods and members are the protocol's own.
    static let exchange: [String: [TextLanguage: String]] = [
        "exchange.answer": [
            .english: "({time} ms, {size:byte|bytes})", .french: "({time} ms, {size:octet|octets})",
        ],
        "exchange.cancelled": [.english: "cancelled ({time} ms)", .french: "annulé ({time} ms)"],
        "exchange.failed": [.english: "{problem} ({time} ms)", .french: "{problem} ({time} ms)"],
    ]
}
