import Latchkey
import LatchkeySystem

extension ObserverContract {
    /// What is written elsewhere, as the author's closure returns it.
    func looked(_ written: @escaping @Sendable (Observer) async throws -> [String]) async throws {
        try await clauses.clause("each observation is a whole line, also of many tasks at once") {
            let observer = try await made()
            let each = 25
            let works = (0..<Self.tasks).map { task in
                { @Sendable () async throws in
                    for number in 0..<each {
                        observer.observe(try ObserverMark(task: task, number: number).observation { _ in true })
                    }
                }
            }
            _ = try await atOnce(works)
            try check(try await clauses.given("what looks at what was written") { try await written(observer) }, each)
        }
        try await clauses.clause("no text of an observation makes a line or a member of its own") {
            let observer = try await made()
            for text in Self.foreignTexts { observer.observe(.refresh(ProviderID(text), .refreshed, took: .zero)) }
            let lines = try await clauses.given("what looks at what was written") { try await written(observer) }
            let isJSON = lines.last.map(ObserverMark.isJSON) ?? false
            try expect(
                lines.count == Self.foreignTexts.count,
                "\(Self.foreignTexts.count) observations are \(lines.count) lines")
            for line in lines {
                try expect(line.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a control character is in a line")
                try expect(!isJSON || ObserverMark.isJSON(line), "a line is not JSON, and others are")
            }
        }
    }

    /// What must not be written, nor be shown by the observer itself.
    func hidden() async throws {
        let account = AccountID("contract https://id.example.com person-of-the-contract")
        let text = "no secret and no account that it was not to write is written or shown"
        let never = secrets + (namesAccounts ? [] : [Secret("person-of-the-contract")])
        @Sendable func look(_ observer: Observer, _ lines: [String]) throws {
            for secret in never {
                try expect(!lines.contains { $0.contains(secret.revealText()) }, "it was written")
            }
            for secret in secrets { try expect(!Printed.shows(secret, in: observer), "the observer shows it") }
        }
        if let sink {
            try await clause(text, sink) { observer, pipe in
                try await tell(observer, Self.samples)
                Self.tellEvents(of: account, to: observer)
                var lines: [String] = []
                try await finish(observer, pipe, sink, &lines)
                try look(observer, lines)
            }
        }
        try await clauses.clause(text) {
            let observer = try await made()
            for observation in Self.samples { observer.observe(observation) }
            Self.tellEvents(of: account, to: observer)
            var lines: [String] = []
            if let written {
                lines = try await clauses.given("what looks at what was written") { try await written(observer) }
            }
            try look(observer, lines)
        }
    }

    /// What grows with what is observed.
    func bounded(_ size: @escaping @Sendable (Observer) async throws -> Int) async throws {
        try await clauses.clause("what it keeps is bounded") {
            let observer = try await made()
            var sizes: [Int] = []
            for round in 0..<3 {
                for number in 0..<2_000 {
                    let name = "name-\(round)-\(number)"
                    observer.observe(
                        .request(method: name, origin: "https://\(name).example.com", status: 200, took: .zero))
                    observer.observe(.refresh(ProviderID(name), .refreshed, took: .zero))
                }
                sizes.append(try await clauses.given("what returns the size") { try await size(observer) })
            }
            // Numbers grow by a digit.
            try expect(sizes[2] <= sizes[1] + sizes[1] / 10 + 64, "it went on growing: \(sizes)")
        }
    }

    static func tellEvents(of account: AccountID, to observer: Observer) {
        guard let listening = observer as? any AuthEventObserving else { return }
        let events: [AuthEvent] = [
            .signedIn(account), .refreshed(account, .standard), .stateChanged(account, .fresh),
            .authenticationRequired(account, .refused), .signedOut(account, by: .service), .currentChanged(account),
            .currentChanged(nil), .locked, .unlocked, .shieldChanged(isUp: true), .unlockOffered,
            .unlockAvailabilityChanged(.notEnrolled), .gap,
        ]
        for event in events { listening.observe(event) }
    }
}
