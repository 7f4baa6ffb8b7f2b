import Latchkey
import LatchkeyJSON

/// What tells an observation of a contract from all others, in what is written.
struct ObserverMark: Hashable, Sendable {
    var task: Int
    var number: Int

    /// The text: it ends, so that half of it is none.
    var text: String { "mark-\(task)-\(number)-end" }
    /// Fills a pipe sooner.
    private static let padding = String(repeating: "x", count: 64)

    /// The observations that carry it, of which an observer writes at least one.
    private var all: [AuthObservation] {
        let name = text + Self.padding
        let provider = ProviderID(name)
        return [
            .refresh(provider, .refreshed, took: .milliseconds(12)), .signOut(provider, .done),
            .signIn(provider, .password, failure: nil, took: .seconds(1)),
            .request(method: "GET", origin: "https://\(name).example.com", status: 200, took: .milliseconds(12)),
        ]
    }

    /// Returns an observation that is written.
    func observation(_ writes: (AuthObservation) -> Bool) throws -> AuthObservation {
        guard let found = all.first(where: writes) else {
            throw Broken("it writes none of refresh, signOut, signIn, request")
        }
        return found
    }

    /// Returns the marks in a line; `nil` if one of them is torn.
    static func all(in line: String) -> [ObserverMark]? {
        var found: [ObserverMark] = []
        for part in line.split(separator: "mark-", omittingEmptySubsequences: false).dropFirst() {
            let words = part.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
            guard words.count == 3, words[2].hasPrefix("end"), let task = Int(words[0]), let number = Int(words[1])
            else { return nil }
            found.append(ObserverMark(task: task, number: number))
        }
        return found
    }

    /// Returns the one mark of each line. Throws ``Broken`` if a line is no whole line of one observation.
    static func each(of lines: [String]) throws -> [ObserverMark] {
        let isJSON = lines.first.map(isJSON) ?? false
        return try lines.map { line in
            guard let marks = all(in: line) else { throw Broken("a line is torn") }
            try expect(marks.count < 2, "two observations are in one line")
            guard let mark = marks.first else { throw Broken("a line is empty, or a part of one") }
            try expect(!isJSON || Self.isJSON(line), "a line is not JSON, and the first is")
            return mark
        }
    }

    static func isJSON(_ line: String) -> Bool {
        guard line.utf8.first == 0x7B else { return false }
        do { return try JSON.parse(Array(line.utf8)).object != nil } catch { return false }
    }
}
