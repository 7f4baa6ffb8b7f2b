public import Latchkey
import LatchkeySystem

extension ObserverContract {
    /// A descriptor into which an observer writes lines.
    public struct Sink: Sendable {
        let bound: Int
        let writes: @Sendable (AuthObservation) -> Bool
        let make: @Sendable (Int32) async throws -> Observer

        /// Creates it.
        ///
        /// - Parameters:
        ///   - bound: The most lines that wait while the descriptor takes none; 16 or more. Take a small one.
        ///   - writes: Whether an observation is written as a line; by default each is.
        ///   - make: Creates an observer that writes into the descriptor. The descriptor stays the contract's.
        public init(
            bound: Int, writes: @escaping @Sendable (AuthObservation) -> Bool = { _ in true },
            _ make: @escaping @Sendable (_ descriptor: Int32) async throws -> Observer
        ) {
            self.bound = max(bound, 16)
            self.writes = writes
            self.make = make
        }
    }

    static var tasks: Int { 8 }

    func sunk(_ sink: Sink) async throws {
        try await whole(sink)
        try await full(sink)
        try await broken(sink)
        try await foreign(sink)
        try await clauses.clause("it leaves the descriptor as it was, and open") {
            let pipe = try ObservedPipe()
            defer { pipe.end() }
            try await use(pipe, sink)
            // By now the observer is gone.
            try pipe.expectUntouched()
        }
    }

    private func use(_ pipe: ObservedPipe, _ sink: Sink) async throws {
        let observer = try await clauses.given("what makes an observer") { try await sink.make(pipe.writer) }
        var lines: [String] = []
        try await finish(observer, pipe, sink, &lines)
    }

    /// Checks a clause over an observer of a pipe.
    func clause(
        _ text: String, _ sink: Sink, _ kind: ObservedPipe.Kind = .pipe, _ pace: ObservedPipe.Pace = .fast,
        _ body: @escaping @Sendable (Observer, ObservedPipe) async throws -> Void
    ) async throws {
        try await clauses.clause(text) {
            let pipe = try ObservedPipe(kind, pace)
            defer { pipe.end() }
            let observer = try await clauses.given("what makes an observer") { try await sink.make(pipe.writer) }
            try await body(observer, pipe)
        }
    }

    /// Tells the observer of each on a thread of its own, since an observer may block it.
    func tell(_ observer: Observer, _ observations: [AuthObservation]) async throws {
        let isTold: Void? = try await DetachedThread.runUnlessCancelled {
            for observation in observations { observer.observe(observation) }
        }
        if isTold == nil { throw Broken("the system has no thread left") }
    }

    /// Observes a last mark, again if it was dropped, and reads until it has come.
    func finish(_ observer: Observer, _ pipe: ObservedPipe, _ sink: Sink, _ lines: inout [String]) async throws {
        let last = ObserverMark(task: 99, number: 0)
        let clock = PluginContext.system.clock
        let begin = clock.now()
        repeat {
            try await tell(observer, [last.observation(sink.writes)])
            for _ in 1...20 {
                let new = pipe.lines()
                lines += new
                if new.contains(where: { $0.contains(last.text) }) { return }
                if new.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
            }
        } while clock.now() - begin < .seconds(4)
        throw Broken("what was observed afterwards never came")
    }

    private func whole(_ sink: Sink) async throws {
        let each = min(max(sink.bound / Self.tasks, 2), 250)
        let text = "each observation is a whole line, also of many tasks at once"
        for kind in [ObservedPipe.Kind.pipe, .impatient, .socket, .socket, .socket] {
            try await clause(text, sink, kind, .slowly) { observer, pipe in
                let works = try (0..<Self.tasks).map { task in
                    let marked = try (0..<each).map {
                        try ObserverMark(task: task, number: $0).observation(sink.writes)
                    }
                    return { @Sendable () async throws in for one in marked { observer.observe(one) } }
                }
                let telling = Task { try await atOnce(works) }
                var lines: [String] = []
                try await pipe.read(&lines) { $0.count >= Self.tasks * each }
                _ = try await telling.value
                try await finish(observer, pipe, sink, &lines)
                try check(lines, each)
            }
        }
        try await clause("what one task observes is written in its order", sink) { observer, pipe in
            // One by itself, which nothing behind it takes along.
            var lines: [String] = []
            try await tell(observer, [ObserverMark(task: 1, number: 0).observation(sink.writes)])
            try await pipe.read(&lines) { $0.count >= 1 }
            try lost(1 - lines.count)
            lines = []
            let count = min(sink.bound, 2_000)
            let marked = try (0..<count).map { try ObserverMark(task: 0, number: $0).observation(sink.writes) }
            try await tell(observer, marked)
            try await pipe.read(&lines) { $0.count >= count }
            try expectOrder(try ObserverMark.each(of: lines))
            try lost(count - lines.count)
        }
    }

    /// Checks what came of many tasks.
    func check(_ lines: [String], _ each: Int) throws {
        let marks = try ObserverMark.each(of: lines).filter { $0.task < Self.tasks }
        try lost(Self.tasks * each - Set(marks).count)
        try expect(marks.count == Set(marks).count, "a line came twice")
        for task in 0..<Self.tasks { try expectOrder(marks.filter { $0.task == task }) }
    }

    private func expectOrder(_ marks: [ObserverMark]) throws {
        guard zip(marks, marks.dropFirst()).allSatisfy({ $0.number < $1.number }) else {
            throw ContractViolation(
                contract: clauses.contract, clause: "what one task observes is written in its order",
                detail: "a later line of a task came first")
        }
    }

    private func lost(_ count: Int) throws {
        guard count > 0 else { return }
        throw ContractViolation(
            contract: clauses.contract, clause: "it loses none within its bound", detail: "\(count) lines never came")
    }

    private func full(_ sink: Sink) async throws {
        let flood = 6 * sink.bound + 1_000
        let marked = try (0..<flood).map { try ObserverMark(task: 0, number: $0).observation(sink.writes) }
        try await clause("a sink that takes nothing blocks no caller", sink, .pipe, .never) { observer, pipe in
            let clock = PluginContext.system.clock
            let begin = clock.now()
            try await tell(observer, marked)
            // The pipe is read after a longer time, or a caller that waits would be there for ever.
            try expect(clock.now() - begin < ObservedPipe.longestRest / 2, "a caller waited until it was read")
            pipe.read()
            // What comes afterwards is the next clause's.
            var lines: [String] = []
            do { try await finish(observer, pipe, sink, &lines) } catch is Broken {}
        }
        try await clause("what waits for a sink is bounded, and what comes afterwards is written", sink, .pipe, .never)
        {
            observer, pipe in
            try await tell(observer, marked)
            pipe.read()
            var lines: [String] = []
            try await finish(observer, pipe, sink, &lines)
            // Those that wait, those that are being written, and those in the pipe.
            let most = 3 * sink.bound + 300
            try expect(lines.count <= most, "\(lines.count) of \(flood) waited, which is more than \(sink.bound)")
            let marks = lines.compactMap { ObserverMark.all(in: $0) }
            try expect(marks.count == lines.count && marks.allSatisfy { $0.count < 2 }, "a line is torn")
        }
    }
}
