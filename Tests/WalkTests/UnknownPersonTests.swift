import Latchkey
import LatchkeyModel
import LatchkeyTesting
import Testing

/// Every page that somebody sees who signs in with the address of a person that the service knows, and with one that it
/// does not.
@Suite("Who has an account is not to be seen") struct UnknownPersonTests {
    enum Way: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case password, code, link, reset
        var testDescription: String { rawValue }

        func request(_ who: String) -> SignInRequest {
            switch self {
            case .password: .signIn(.password(identifier: who, Secret("wrong horse")))
            case .code: .signIn(.code(identifier: who, over: .mail))
            case .link: .signIn(.link(identifier: who))
            case .reset: .recover(identifier: who)
            }
        }
    }

    /// What the pages say to `who`: the first answer, the answer to a wrong code, and what follows when it is sent again.
    private func pages(_ dialect: Dialect, _ way: Way, _ who: String) async throws -> [String] {
        let town = try Town(dialect)
        defer { town.stop() }
        let surface = PageSurface(Respondent(town, as: .ada, key: ""))
        var seen: [String] = []
        func note(_ page: Markup) {
            let text = page.text.replacing(who, with: "WHO")
                .replacing(/(name="(token|challenge)" value=")[^"]*"/) { "\($0.1)\"" }
            seen.append(text)
        }
        var page = try await surface.send(way.request(who))
        note(page)
        for _ in 0..<2 {
            guard let form = page.forms.first(where: { $0.acts.contains("answer") }),
                form.inputs.contains(where: { $0.name == "code" })
            else { break }
            page = try await surface.post(form, ["code": "000000", "do": "answer"])
            note(page)
        }
        if let form = page.forms.first(where: { $0.acts.contains("resend") }) {
            note(try await surface.post(form, ["do": "resend"]))
        }
        return seen
    }

    @Test("every page is the same for a known and an unknown address", arguments: Dialect.withPassword, Way.allCases)
    func same(_ dialect: Dialect, _ way: Way) async throws {
        let known: [String]
        do { known = try await pages(dialect, way, dialect.address(.ada)) } catch is Town.Stuck {
            // The pages do not offer this way at this service.
            await #expect(throws: Town.Stuck.self) { try await pages(dialect, way, dialect.address(.new)) }
            return
        }
        let unknown = try await pages(dialect, way, dialect.address(.new))
        #expect(known.count == unknown.count && !known.isEmpty)
        for (one, other) in zip(known, unknown) {
            let (lines, others) = (one.split(separator: "\n"), other.split(separator: "\n"))
            #expect(lines == others, "\(Set(lines).symmetricDifference(others))")
        }
    }
}
