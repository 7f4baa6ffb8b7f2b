public import Latchkey

/// The contract of every ``/Latchkey/AuthObserver``.
///
/// | Clause | Checked by |
/// | --- | --- |
/// | it takes every observation | one of each case, failures included |
/// | it may be called from many tasks at once | eight tasks of 100 |
/// | it loses none within its bound | if `count` is given |
public struct ObserverContract<Observer: AuthObserver>: Sendable {
    private let count: (@Sendable (Observer) async -> Int)?
    private let make: @Sendable () async throws -> Observer
    private let clauses: Clauses

    /// Creates a contract over the observers that `make` creates.
    ///
    /// - Parameters:
    ///   - count: Returns how many observations the observer received; `nil` if it cannot say.
    ///   - timeLimit: How long a clause may take, in real time. A clause that takes longer is broken
    ///     and left behind.
    ///   - make: Creates what is tested. It is called once for each clause.
    public init(
        count: (@Sendable (Observer) async -> Int)? = nil,
        timeLimit: Duration = ClauseLimit.standard, _ make: @escaping @Sendable () async throws -> Observer
    ) {
        self.count = count
        self.make = make
        clauses = Clauses(contract: "ObserverContract", limit: timeLimit)
    }

    /// Checks every clause.
    public func run() async throws {
        try await clauses.clause("it takes every observation") {
            let observer = try await clauses.given("what makes an observer") { try await make() }
            for observation in Self.samples { observer.observe(observation) }
            if let count {
                let found = await count(observer)
                try expect(found == Self.samples.count, "it took \(found) of \(Self.samples.count)")
            }
        }
        try await clauses.clause("it may be called from many tasks at once") {
            let observer = try await clauses.given("what makes an observer") { try await make() }
            await withTaskGroup(of: Void.self) { group in
                for _ in 1...8 {
                    group.addTask {
                        for index in 0..<100 { observer.observe(Self.samples[index % Self.samples.count]) }
                    }
                }
            }
            guard let count else { return }
            let found = await count(observer)
            guard found == 800 else {
                throw ContractViolation(
                    contract: clauses.contract, clause: "it loses none within its bound",
                    detail: "it took \(found) of 800")
            }
        }
    }

    private static var samples: [AuthObservation] {
        let provider = ProviderID("contract")
        let took = Duration.milliseconds(12)
        return [
            .request(method: "POST", origin: "https://id.example.com", status: 200, took: took),
            .request(method: "GET", origin: "https://id.example.com", status: nil, took: .zero),
            .retry(method: "GET", origin: "https://id.example.com", status: 503, wait: .seconds(1)),
            .refresh(provider, .refreshed, took: took), .refresh(provider, .unexplained, took: took),
            .store(.credential, .replace, .done, took: took), .store(.challenge, .lock, .failed, took: took),
            .storeFailure(.credential, .replace, .store(.full)),
            .lockWait(.queue, .acquired, took: .zero), .lockWait(.store, .busy, took: .seconds(20)),
            .refusal("contract", .expired), .refusal(.service, .credential),
            .signIn(provider, .password, failure: nil, took: took),
            .signIn(provider, nil, failure: .refused(.wrongInput), took: .zero),
            .furtherProof(.link, provider, .browser, failure: nil, took: took),
            .furtherProof(.stepUp, provider, nil, failure: .declined, took: .zero),
            .signInRequired(provider, .refused),
            .reauthentication(.refused, by: .sameAccount, after: .seconds(86_400 * 30)),
            .firstToken(.stored, took: took), .unlock(.usual, .biometrics, failure: nil, took: took),
            .unlock(.fallback, nil, failure: .declined, took: took),
            .signOut(provider, .queued), .gate(locked: true), .gate(locked: false),
            .pins(host: "id.example.com", .refused, seen: nil), .pins(host: "id.example.com", .expired, seen: nil),
            .idTokenPassedOver(provider, .signature), .integrity(.debuggerAttached),
        ]
    }
}
