public import Latchkey

/// The contract of every ``/Latchkey/AuthObserver``.
///
/// | Clause | Checked by |
/// | --- | --- |
/// | it takes every observation | one of each case, failures included |
/// | it may be called from many tasks at once | eight tasks of 100 |
/// | it loses none within its bound | if `count` is given, or a ``Sink``: as many as wait at most |
/// | each observation is a whole line, also of many tasks at once | if a ``Sink`` or `written` is given: eight tasks, a descriptor that takes little at once, one that says so at once |
/// | what one task observes is written in its order | the same, and one task with as many as wait at most |
/// | a sink that takes nothing blocks no caller | if a ``Sink`` is given: a pipe that nothing reads |
/// | what waits for a sink is bounded, and what comes afterwards is written | the same, read later |
/// | a sink without a reader ends neither the program nor what is observed afterwards | the same: a pipe whose reader is gone, and another in its place |
/// | no text of an observation makes a line or a member of its own | names with line feeds, quotes, control characters, 6,000 letters |
/// | an odd observation loses no other | no name, the smallest and the greatest numbers |
/// | it leaves the descriptor as it was, and open | if a ``Sink`` is given |
/// | no secret and no account that it was not to write is written or shown | what is written, what printing the observer shows |
/// | what it keeps is bounded | if `size` is given: thousands of names |
public struct ObserverContract<Observer: AuthObserver>: Sendable {
    private let count: (@Sendable (Observer) async -> Int)?
    let sink: Sink?
    let written: (@Sendable (Observer) async throws -> [String])?
    private let size: (@Sendable (Observer) async throws -> Int)?
    let secrets: [Secret]
    let namesAccounts: Bool
    private let make: @Sendable () async throws -> Observer
    let clauses: Clauses

    /// Creates a contract over the observers that `make` creates.
    ///
    /// - Parameters:
    ///   - count: Returns how many observations the observer received; `nil` if it cannot say.
    ///   - sink: How to create an observer that writes into a descriptor of the contract; `nil` if it writes into none.
    ///   - written: Returns the lines that an observer of `make` has written, one for each observation, which name the
    ///     provider; `nil` if there are none.
    ///   - size: Returns how much the observer keeps, in any unit; `nil` if it cannot say.
    ///   - secrets: What must never be written, such as the key that the observer sends with.
    ///   - namesAccounts: Whether it is meant to write whose account an event is about.
    ///   - timeLimit: How long a clause may take, in real time. A clause that takes longer is broken
    ///     and left behind.
    ///   - make: Creates what is tested. It is called at least once for each clause.
    public init(
        count: (@Sendable (Observer) async -> Int)? = nil, sink: Sink? = nil,
        written: (@Sendable (Observer) async throws -> [String])? = nil,
        size: (@Sendable (Observer) async throws -> Int)? = nil, secrets: [Secret] = [], namesAccounts: Bool = false,
        timeLimit: Duration = ClauseLimit.standard, _ make: @escaping @Sendable () async throws -> Observer
    ) {
        self.count = count
        self.sink = sink
        self.written = written
        self.size = size
        self.secrets = secrets
        self.namesAccounts = namesAccounts
        self.make = make
        clauses = Clauses(contract: "ObserverContract", limit: timeLimit)
    }

    /// Checks every clause.
    public func run() async throws {
        try await clauses.clause("it takes every observation") {
            let observer = try await made()
            for observation in Self.samples { observer.observe(observation) }
            if let count {
                let found = await count(observer)
                try expect(found == Self.samples.count, "it took \(found) of \(Self.samples.count)")
            }
        }
        try await clauses.clause("it may be called from many tasks at once") {
            let observer = try await made()
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
        if let sink { try await sunk(sink) }
        if let written { try await looked(written) }
        try await hidden()
        if let size { try await bounded(size) }
    }

    /// Returns a new observer of the author.
    func made() async throws -> Observer {
        try await clauses.given("what makes an observer") { try await make() }
    }

    static var samples: [AuthObservation] {
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
