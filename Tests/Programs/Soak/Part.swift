/// One thing that is done very often, and what it leaves.
struct Part {
    /// How much more may be held at the end than after the warm-up, in bytes: what settles late, and no more.
    static let heapSlack = 256 << 10
    /// libdispatch sets up to 1,024 blocks of 80 bytes aside for each of its threads, and is slow to reach that.
    static let threadSlack = 80 << 10
    static let residentSlack = 6 << 20

    var name: String
    var count: Int
    /// Times before the first figures are taken, in which tables fill up.
    var warmUp: Int
    var work: (_ index: Int) async throws -> Void

    /// Does it, and prints what is held at the start, at each quarter and at the end. Whether that is flat.
    func run() async throws -> Bool {
        for index in 0..<warmUp { try await work(index) }
        let start = await settled()
        say("\(name): \(count) times, after \(warmUp)")
        say("  start \(start.words)")
        var last = start
        var taken = Duration.zero
        for quarter in 1...4 {
            let begin = ContinuousClock.now
            for index in (count * (quarter - 1) / 4)..<(count * quarter / 4) { try await work(warmUp + index) }
            taken += .now - begin
            last = await settled()
            say("  \(quarter)/4   \(last.words)")
        }
        let isFlat =
            last.heap - start.heap <= Self.heapSlack + last.threads * Self.threadSlack
            && last.resident - start.resident <= Self.residentSlack
            && last.descriptors <= start.descriptors && last.threads <= start.threads + 2
        say(
            "  \(isFlat ? "flat" : "NOT flat"): heap \(last.heap - start.heap) bytes, rss \(last.resident - start.resident);"
                + " \(Int(taken / .microseconds(max(1, count)))) us each")
        return isFlat
    }

    /// What is held once nothing is under way, and every wait that was called off is over.
    private func settled() async -> Figures {
        try? await Task.sleep(for: .milliseconds(2_500))
        return .now()
    }
}
