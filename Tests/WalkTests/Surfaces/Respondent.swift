import Latchkey
import LatchkeyDevServer
import LatchkeySystem
import LatchkeyModel
import LatchkeyTesting

/// A person who answers questions, and does the same at a terminal and at a page.
final class Respondent: Sendable {
    let town: Town
    let person: Dialect.Person
    /// The key of the person's authenticator app.
    private let key: String
    /// How often the person mistypes a field at first.
    private let slips: Locked<[String: Int]>

    init(_ town: Town, as person: Dialect.Person, key: String, mistyping slips: [String: Int] = [:]) {
        (self.town, self.person, self.key) = (town, person, key)
        self.slips = Locked(slips)
    }

    /// What is typed into a field.
    func value(of field: String, for question: Question) -> String {
        let isSlip = slips.withLock { slips in
            slips[field, default: 0] -= 1
            return slips[field, default: 0] >= 0
        }
        if isSlip { return "000000" }
        switch (question.kind, field) {
        case (.totp, _): return town.appCode(key)
        case (.enrolment, _): return town.appCode(question.shown.first ?? "")
        case (_, "password"): return question.kind == .password ? town.dialect.password(person) : "another horse"
        default: return town.code(town.dialect.address(person))
        }
    }

    /// Which of the options is taken.
    let choice = "Authenticator app"

    /// Where the browser arrives that opens the page or the mail's link.
    func arrival(_ question: Question) async throws -> String {
        if question.kind == .visit { return try await town.browse(question.shown.first ?? "") }
        let address = town.dialect.address(person)
        let link =
            town.dialect == .clerk ? town.server.clerkMessages.last?.link : town.server.inbox(of: address).last?.link
        return try await town.browse(link ?? "")
    }

    /// Approves on the other device.
    func approve(_ question: Question) throws {
        guard question.shown.count == 2, town.server.approve(userCode: question.shown[1], as: person.rawValue) else {
            throw Town.Stuck()
        }
    }
}
