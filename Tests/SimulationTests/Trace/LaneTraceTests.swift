import Latchkey
import LatchkeyTesting
import Testing

@testable import LatchkeySimulation

/// Traces that the protocol allows, and for each rule of it one that it does not.
@Suite("Traces of the lane") struct LaneTraceTests {
    @Test("what the protocol does is allowed", arguments: Story.allowed)
    func allowed(_ story: Story) throws {
        let events = try #require(LaneEvent.parse(story.text), "a line of \"\(story.name)\" is no event")
        let found = LaneTrace.firstViolation(in: events, story.replay)
        #expect(found == nil, "\(story.name): \(found.map { "\(events[$0.index]): \($0.violation)" } ?? "")")
    }

    @Test("what a rule forbids is found, and where", arguments: Story.forbidden)
    func forbidden(_ story: Story) throws {
        let events = try #require(LaneEvent.parse(story.text), "a line of \"\(story.name)\" is no event")
        let found = try #require(
            LaneTrace.firstViolation(in: events, story.replay), "\(story.name): nothing was found")
        #expect(found.violation.rule == story.breaks, "\(story.name): \(found.violation)")
        #expect(found.index == events.count - 1, "\(story.name): found at \(events[found.index])")
    }

    @Test("every rule can fail")
    func everyRule() {
        let broken = Set(Story.forbidden.compactMap(\.breaks))
        #expect(LaneTrace.Rule.allCases.filter { !broken.contains($0) } == [])
    }

    @Test("an event is the same as text", arguments: Story.allowed + Story.forbidden)
    func text(_ story: Story) throws {
        let events = try #require(LaneEvent.parse(story.text))
        #expect(LaneEvent.parse(events.map(\.description).joined(separator: "\n")) == events)
    }

    @Test(
        "a line that is no event is none",
        arguments: [
            "", "1000 P1", "x P1 start", "1000 P1 acquire", "1000 Px acquire lane=a", "1000 P1 acquire lane",
            "1000 P1 send", "1000 P1 heard refresh=r1", "1000 P1 show call=x access=a1", "1000 P1 dance lane=a",
        ])
    func noEvent(_ line: String) { #expect(LaneEvent(line) == nil) }

    @Test("the traces of histories without their marks are ones that the protocol forbids")
    func withoutMarks() {
        var found = 0
        for seed in 0..<100 as Range<UInt64> {
            let history = Shrinker.Name(operations: seed).history(kind: .strict, tells: true)
            history.run()
            let events = history.events
            #expect(LaneTrace.firstViolation(in: events, .killsFamily) == nil)
            let bare = events.map { event in
                guard case .write(let lane, var record, let version) = event.step else { return event }
                record?.mark = nil
                return LaneEvent(at: event.at, process: event.process, step: .write(lane, record, over: version))
            }
            if LaneTrace.firstViolation(in: bare, .killsFamily)?.violation.rule == .unmarked { found += 1 }
        }
        #expect(found > 5, "of a hundred")
    }
}
