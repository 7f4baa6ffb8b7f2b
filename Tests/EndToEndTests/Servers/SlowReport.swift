/// What a slow answer showed. Its description is one line.
struct SlowReport: CustomStringConvertible, Sendable {
    /// What was played.
    let title: String
    /// What the caller was told.
    var told = "nothing"
    /// What was done to the refresh.
    var ordeal = "delayed=20s"
    /// The refresh requests on the wire, before the login was tried once more.
    var refreshes = 0
    var login = RaceReport.Login.lost
    /// What was not as it must be.
    private(set) var wrong: [String] = []

    init(_ title: String) { self.title = title }

    mutating func expect(_ condition: Bool, _ wrong: String) {
        if !condition { self.wrong.append(wrong) }
    }

    var description: String { "\(ordeal) refreshes=\(refreshes) login=\(login)" }

    var details: String { "told=\(told)" }
}
