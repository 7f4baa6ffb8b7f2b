import Latchkey
import LatchkeyDevServer
import LatchkeyModel
import LatchkeyTesting
import Proofs
import Testing

/// One conversation, held twice: at a terminal and at the pages.
@Suite("The terminal and the page hold the same conversation") struct SameConversationTests {
    /// A conversation, and what the person mistypes in it.
    struct Walk: Sendable, CustomTestStringConvertible {
        var name: String
        var dialect: Dialect
        var person = Dialect.Person.ada
        var slips: [String: Int] = [:]
        var demandsApp = false
        var isDevice = false
        var request: @Sendable (Dialect) -> SignInRequest

        var testDescription: String { "\(name) at \(dialect)\(slips.isEmpty ? "" : ", after a slip")" }
    }

    private static func password(_ person: Dialect.Person) -> @Sendable (Dialect) -> SignInRequest {
        { .signIn(.password(identifier: $0.address(person), Secret($0.password(person)))) }
    }

    static let walks: [Walk] = {
        var walks: [Walk] = []
        for dialect in Dialect.withPassword {
            walks.append(Walk(name: "password", dialect: dialect, request: password(.ada)))
            walks.append(
                Walk(name: "wrong password", dialect: dialect) {
                    .signIn(.password(identifier: $0.address(.ada), Secret("wrong horse")))
                })
            for slips in [[:], ["code": 1]] as [[String: Int]] {
                walks.append(
                    Walk(name: "app", dialect: dialect, person: .grace, slips: slips, request: password(.grace)))
                walks.append(
                    Walk(name: "new account", dialect: dialect, person: .new, slips: slips) {
                        .signUp(SignUpForm(identifier: $0.address(.new), password: Secret("new-password")))
                    })
                walks.append(
                    Walk(name: "lost password", dialect: dialect, slips: slips) {
                        .recover(identifier: $0.address(.ada))
                    })
            }
        }
        for dialect in [Dialect.supabase, .clerk] {
            for slips in [[:], ["code": 1]] as [[String: Int]] {
                walks.append(
                    Walk(name: "mailed code", dialect: dialect, slips: slips) {
                        .signIn(.code(identifier: $0.address(.ada), over: .mail))
                    })
            }
            walks.append(
                Walk(name: "mailed link", dialect: dialect) { .signIn(.link(identifier: $0.address(.ada))) })
        }
        for slips in [[:], ["code": 1]] as [[String: Int]] {
            walks.append(
                Walk(
                    name: "app set up", dialect: .cognito, slips: slips, demandsApp: true, request: password(.ada)))
        }
        walks.append(Walk(name: "visit", dialect: .oauth) { _ in .signIn(.browser()) })
        walks.append(Walk(name: "device", dialect: .oauth, isDevice: true) { _ in .signIn(.device) })
        return walks
    }()

    /// Holds the conversation at a new service.
    private func hold(
        _ walk: Walk, _ surface: (Respondent, SignInRequest) async throws -> [Passage]
    ) async throws -> [String] {
        let town = try Town(walk.dialect, demandsApp: walk.demandsApp, isDevice: walk.isDevice) { configuration in
            configuration.allow(redirect: PageSurface.callback)
        }
        defer { town.stop() }
        let key = walk.person == .grace ? try await town.enrol() : ""
        let respondent = Respondent(town, as: walk.person, key: key, mistyping: walk.slips)
        let passages = try await surface(respondent, walk.request(walk.dialect))
        return passages.map { town.masked($0.description) }
    }

    private func atTerminal(_ walk: Walk) async throws -> [String] {
        try await hold(walk) { respondent, request in
            let client = try respondent.town.client(MemoryStore(context: .testing(clock: respondent.town.clock)))
            return try await TerminalSurface(respondent, client: client).converse(request, at: walk.dialect.provider)
        }
    }

    private func onPages(_ walk: Walk) async throws -> [String] {
        try await hold(walk) { try await PageSurface($0).converse($1) }
    }

    @Test("what is asked, told and granted is the same, in the same order", .need("R8"), arguments: walks)
    func same(_ walk: Walk) async throws {
        let terminal = try await atTerminal(walk)
        #expect(!terminal.isEmpty)
        #expect(terminal == (try await onPages(walk)))
    }

    @Test(
        "three wrong codes end the sign-in at a terminal, with the same words; a page asks as long as the service does",
        arguments: [Dialect.supabase, .clerk])
    func tries(_ dialect: Dialect) async throws {
        let walk = Walk(name: "mailed code", dialect: dialect, slips: ["code": 3]) {
            .signIn(.code(identifier: $0.address(.ada), over: .mail))
        }
        let terminal = try await atTerminal(walk)
        let page = try await onPages(walk)
        #expect(terminal.count == 6)
        #expect(Set(terminal).count == 2)
        #expect(terminal.last == "told What was entered is wrong")
        #expect(Array(page.prefix(6)) == terminal)
        #expect(page.count == 8)
        #expect(page.last?.hasPrefix("granted") == true)
    }
}
