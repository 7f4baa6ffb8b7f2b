/// What became of the answers.
struct AnswerReport: Sendable {
    private(set) var judged = 0
    private(set) var surprises: [String] = []
    /// How often each verdict was given, by place.
    private(set) var verdicts: [ServerAnswer.Place: [String: Int]] = [:]
    /// One line for each answer.
    private(set) var rows: [String] = []

    mutating func note(_ answer: ServerAnswer, _ verdict: AnswerVerdict) {
        judged += 1
        verdicts[answer.place, default: [:]][verdict.name, default: 0] += 1
        rows.append("\(answer.server)\t\(answer.place.rawValue)\t\(answer.name)\t\(verdict.name)")
        for fault in AnswerRules(answer: answer).faults(of: verdict) {
            surprises.append("\(answer.server), \(answer.place.rawValue), \(answer.name): \(fault): \(verdict.text)")
        }
    }

    /// Which verdicts were given at each place, one line each.
    var table: [String] {
        ServerAnswer.Place.allCases.compactMap { place in
            guard let counts = verdicts[place] else { return nil }
            let parts = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
            return "\(place.rawValue): \(parts.joined(separator: ", "))"
        }
    }
}
