import BridgeSamples
import Latchkey
import LatchkeyLog
import LatchkeyJSON
import LatchkeySwiftLog
import LatchkeyTesting
import Logging
import Synchronization
import Testing

@Suite struct SwiftLogObserverTests {
    /// The fields of a line of JSON, as texts.
    private func fields(_ observation: AuthObservation) throws -> [String: String] {
        let line = Mutex("")
        LogObserver(.jsonLines) { text in line.withLock { $0 = text } }.observe(observation)
        let members = try JSON.parse(Array(line.withLock { $0 }.utf8)).object ?? [:]
        var texts: [String: String] = [:]
        for (name, value) in members where !["time", "event"].contains(name) && value != .null {
            if let text = value.string { texts[name] = text }
            if let number = value.number { texts[name] = name == "status" ? "\(Int(number))" : "\(number)" }
            if let truth = value.bool { texts[name] = "\(truth)" }
        }
        return texts
    }

    @Test("each observation is a line with the name and the fields that the line of LogObserver has")
    func all() throws {
        let log = RecordingLog()
        let observer = SwiftLogObserver(log.logger())
        for observation in Samples.all { observer.observe(observation) }
        #expect(log.lines.map(\.message) == Samples.all.map(\.name))
        #expect(log.lines.allSatisfy { $0.source == "Latchkey" })
        for (line, observation) in zip(log.lines, Samples.all) {
            #expect(line.metadata == (try fields(observation)), "\(line.message)")
        }
    }

    @Test(
        "a logger gets what its level writes and nothing below it",
        arguments: [
            (Logger.Level.trace, 24), (.debug, 21), (.info, 17), (.notice, 10), (.warning, 3), (.error, 0),
        ])
    func levels(level: Logger.Level, count: Int) {
        let log = RecordingLog()
        let observer = SwiftLogObserver(log.logger(level))
        for observation in Samples.all { observer.observe(observation) }
        #expect(log.lines.count == count)
        #expect(log.lines.allSatisfy { $0.level >= level })
    }

    @Test("an app chooses other levels")
    func chosen() {
        let log = RecordingLog()
        let observer = SwiftLogObserver(log.logger(.critical)) { _ in .critical }
        observer.observe(.gate(locked: true))
        #expect(log.lines.map(\.level) == [.critical])
    }

    @Test("what failed is never below notice, and a failure of the store never below warning")
    func failures() {
        let failed: [AuthObservation] = [
            .signIn("notes", nil, failure: .refused(.wrongInput), took: .zero),
            .refresh("notes", .unknown, took: .zero),
            .unlock(.usual, nil, failure: .declined, took: .zero), .refusal(.resource, .notAccepted),
            .signInRequired("notes", .banned),
        ]
        #expect(failed.allSatisfy { $0.usualLevel >= .notice })
        #expect(AuthObservation.storeFailure(.credential, .read, .store(.damaged)).usualLevel >= .warning)
    }

    /// Not arguments of a test: the runner prints those as they are.
    @Test("a foreign text stays one field of printable ASCII, cut after 256 bytes")
    func foreign() {
        for text in Samples.foreign {
            let log = RecordingLog()
            SwiftLogObserver(log.logger()).observe(
                .request(method: text, origin: text, status: 200, took: .zero))
            #expect(log.lines.count == 1)
            let values = log.lines.flatMap(\.metadata.values)
            #expect(values.allSatisfy { $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } && $0.utf8.count < 2_400 })
        }
    }

    @Test("the bridge keeps the contract of observers")
    func contract() async throws {
        let logs = Mutex<RecordingLog>(RecordingLog())
        try await ObserverContract(count: { _ in logs.withLock { $0.lines.count } }) {
            let log = RecordingLog()
            logs.withLock { $0 = log }
            return SwiftLogObserver(log.logger())
        }.run()
    }

    @Test("no line holds a secret, an address beyond its origin, or who the person is")
    func canary() async throws {
        let log = RecordingLog()
        try await Life.run(SwiftLogObserver(log.logger()))
        let text = log.text
        for name in ["refusal", "signInRequired", "reauthentication", "firstToken", "storeFailure", "unlock"] {
            #expect(text.contains(name), "the observer was not heard: \(name)")
        }
        #expect(Life.secrets.filter(text.contains).map(\.utf8.count).isEmpty)
    }
}
