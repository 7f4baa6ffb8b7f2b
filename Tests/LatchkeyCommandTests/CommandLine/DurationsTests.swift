import Testing

@testable import LatchkeyCommand

@Suite("Durations on the command line") struct DurationsTests {
    @Test(
        "numbers with units are read",
        arguments: [
            ("90s", Duration.seconds(90)), ("5m", .seconds(300)), ("1h30m", .seconds(5_400)), ("0s", .zero),
            ("500ms", .milliseconds(500)), ("2d", .seconds(172_800)), ("1m1ms", .milliseconds(60_001)),
        ])
    func reads(_ text: String, _ duration: Duration) {
        #expect(Durations.parse(text) == duration)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", "90", "s", "5 m", "-5m", "+5m", "1.5h", "5m1h", "5m5m", "5x", "1h30", "٣s", "99999999999999999999s",
            "4000d", "3650d1ms", "m5", "5M",
        ])
    func refuses(_ text: String) {
        #expect(Durations.parse(text) == nil)
    }

    @Test(
        "people see the two largest units",
        arguments: [
            (Duration.seconds(0), "0s"), (.seconds(59), "59s"), (.seconds(3_900), "1h 5m"), (.seconds(3_605), "1h"),
            (.seconds(90_061), "1d 1h"), (.seconds(-5), "0s"),
        ])
    func describes(_ duration: Duration, _ text: String) {
        #expect(Durations.describe(duration) == text)
    }
}
