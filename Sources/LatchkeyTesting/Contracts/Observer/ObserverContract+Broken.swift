import Latchkey

extension ObserverContract {
    /// A sink without a reader.
    func broken(_ sink: Sink) async throws {
        let text = "a sink without a reader ends neither the program nor what is observed afterwards"
        try await BrokenPipes.counted { turn in
            for round in 1...8 {
                let isTried = try await clauses.clause(text) {
                    let pipe = try ObservedPipe()
                    defer { pipe.end() }
                    let observer = try await clauses.given("what makes an observer") {
                        try await sink.make(pipe.writer)
                    }
                    pipe.closeReader()
                    let count = min(sink.bound, 20)
                    try await tell(
                        observer, try (0..<count).map { try ObserverMark(task: 0, number: $0).observation(sink.writes) }
                    )
                    // Longer if nothing was written meanwhile.
                    try await Task.sleep(for: .milliseconds(10 << round))
                    try pipe.renew()
                    var lines: [String] = []
                    try await finish(observer, pipe, sink, &lines)
                    // Another contract's observer may have changed it in this moment, but not again and again.
                    if turn.wasChanged() {
                        try expect(round < 8, "it changes what the signal of a broken pipe does to the program")
                        return false
                    }
                    try expect(turn.deaths == 0, "the signal of a broken pipe would have ended the program")
                    return lines.count { $0.contains("mark-0-") } < count
                }
                if isTried { return }
            }
        }
    }

    /// Texts that would be more than a field, and numbers that nothing expects.
    func foreign(_ sink: Sink) async throws {
        try await clause("no text of an observation makes a line or a member of its own", sink) { observer, pipe in
            let odd = try Self.foreignTexts.enumerated().map { index, text in
                try ObserverMark(task: 0, number: index).observation(sink.writes).naming(text)
            }
            var lines: [String] = []
            for one in odd { try await finish(after: one, observer, pipe, sink, &lines) }
            let isJSON = lines.last.map(ObserverMark.isJSON) ?? false
            let marks = lines.count { $0.contains("mark-99-0-end") }
            try expect(lines.count - marks == odd.count, "\(odd.count) observations are \(lines.count - marks) lines")
            for line in lines {
                try expect(line.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a control character is in a line")
                try expect(!isJSON || ObserverMark.isJSON(line), "a line is not JSON, and others are")
            }
        }
        try await clause("an odd observation loses no other", sink) { observer, pipe in
            let odd: [AuthObservation] = [
                .request(method: "", origin: "", status: .max, took: .seconds(-1)),
                .request(method: "GET", origin: "", status: .min, took: .seconds(Int64.max)),
                .refresh(ProviderID(""), .unknown, took: .nanoseconds(-1)),
                .signIn(ProviderID(""), nil, failure: .refused(.wrongInput), took: .seconds(Int64.min)),
                .pins(host: "", .expired, seen: nil), .startedOver,
            ]
            var lines: [String] = []
            for one in odd { try await finish(after: one, observer, pipe, sink, &lines) }
        }
    }

    private func finish(
        after one: AuthObservation, _ observer: Observer, _ pipe: ObservedPipe, _ sink: Sink, _ lines: inout [String]
    ) async throws {
        try await tell(observer, [one])
        try await finish(observer, pipe, sink, &lines)
    }

    static var foreignTexts: [String] {
        [
            "a\nb", "a\r\nb", "a\"b", "a\",\"status\":\"0\",\"b\":\"", "a\\", "a\\\"}", "\u{1B}[2Ka", "a\tb",
            "\u{2028}", "é\u{1F511}\u{202E}", "}\n{\"event\":\"gate\",\"locked\":false}",
            String(repeating: "x", count: 6_000),
        ]
    }
}

extension AuthObservation {
    /// The same with this text for its name.
    fileprivate func naming(_ text: String) -> AuthObservation {
        switch self {
        case .request(let method, _, let status, let took):
            .request(method: method, origin: text, status: status, took: took)
        case .refresh(_, let outcome, let took): .refresh(ProviderID(text), outcome, took: took)
        case .signOut(_, let outcome): .signOut(ProviderID(text), outcome)
        case .signIn(_, let method, let failure, let took):
            .signIn(ProviderID(text), method, failure: failure, took: took)
        default: self
        }
    }
}
