import Latchkey
import LatchkeySystem
import LatchkeyTesting
import Testing

@testable import LatchkeyLoopback

@Suite("A browser that comes back with something else", .timeLimit(.minutes(1))) struct StrayRedirectTests {
    private typealias Base = LoopbackPresenterTests

    struct Stray: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var method = "GET"
        var query = ""
        var body: [UInt8]?
        var kind: StrayRedirect
        var words: String
    }

    static let strays = [
        Stray(
            testDescription: "an error without a state", query: "?error=unauthorized_client&error_description=MARK",
            kind: .anonymousError, words: "does not say to which sign-in"),
        Stray(
            testDescription: "the error of another sign-in", query: "?error=access_denied&state=MARK",
            kind: .otherSignIn, words: "from another sign-in"),
        Stray(
            testDescription: "a code without a state", query: "?code=MARK", kind: .otherSignIn,
            words: "from another sign-in"),
        Stray(testDescription: "a fragment", kind: .withoutAnswer, words: "response_mode=fragment"),
        Stray(
            testDescription: "a form", method: "POST", body: Array("code=MARK&state=s".utf8), kind: .form,
            words: "response_mode=form_post"),
        Stray(
            testDescription: "a long form", method: "POST",
            body: Array(("state=s&code=MARK" + String(repeating: "a", count: 20_000)).utf8), kind: .form,
            words: "response_mode=form_post"),
        Stray(
            testDescription: "a long query", query: "?state=s&code=MARK" + String(repeating: "a", count: 9_000),
            kind: .tooLong, words: "more than 8 KiB"),
        Stray(
            testDescription: "a query as long as a browser's cookies",
            query: "?state=s&code=MARK" + String(repeating: "a", count: 40_000), kind: .tooLong,
            words: "more than 8 KiB"),
    ]

    @Test("the page and the terminal say at once what came, once each, and the wait goes on", arguments: strays)
    func told(stray: Stray) async throws {
        let told = Locked<[StrayRedirect]>([])
        let (presenter, announced) = Base.presenter(stray: { kind in told.withLock { $0.append(kind) } })
        let redirect = try await presenter.openRedirect()
        let answer = await Base.answer(presenter, announced, Base.visit(redirect))
        for _ in 0..<2 {
            let page = try await Base.get(redirect + stray.query, stray.method, body: stray.body)
            let text = String(decoding: page.body, as: UTF8.self)
            #expect(page.status == stray.kind.status && text.contains(stray.words), "\(text)")
            #expect(!text.contains("MARK") && page.fields["Cache-Control"] == "no-store")
        }
        while told.withLock({ $0.isEmpty }) { await Task.yield() }
        let (came, _) = try await Base.bring("\(redirect)?code=right&state=s", to: presenter, answer)
        #expect(Base.address(came) == "\(redirect)?code=right&state=s")
        #expect(told.withLock { $0 } == [stray.kind])
        await presenter.closeRedirect()
    }

    @Test("what a page embeds, or asks for by a script, tells nobody anything", arguments: strays)
    func embedded(stray: Stray) async throws {
        let told = Locked<[StrayRedirect]>([])
        let (presenter, announced) = Base.presenter(stray: { kind in told.withLock { $0.append(kind) } })
        let redirect = try await presenter.openRedirect()
        let answer = await Base.answer(presenter, announced, Base.visit(redirect))
        let fields: HeaderFields = ["Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"]
        #expect(try await Base.get(redirect + stray.query, stray.method, fields, body: stray.body).status == 403)
        #expect(try await Base.get(redirect + stray.query, "HEAD").status == 405)
        _ = try await Base.bring("\(redirect)?code=right&state=s", to: presenter, answer)
        #expect(told.withLock { $0.isEmpty })
        await presenter.closeRedirect()
    }

    @Test("each kind has its words for a terminal, which say that the wait goes on", arguments: StrayRedirect.allCases)
    func words(kind: StrayRedirect) {
        #expect(kind.text(in: .english).hasSuffix(". Still waiting for the browser."))
        #expect(kind.text(in: .french).hasSuffix(". Toujours en attente du navigateur."))
    }

    @Test("pasted addresses with a fragment, or of another sign-in, are said to be that, and asked for again")
    func pasted() async throws {
        let redirect = Locked("")
        let told = Locked<[String?]>([])
        let texts = ["#code=1&state=s", "?error=access_denied", "?code=1&state=other", "?code=1&state=s"]
        let (presenter, _) = Base.presenter(paste: { wrong in
            let number = told.withLock { told in
                told.append(wrong)
                return told.count - 1
            }
            return Secret(redirect.withLock { $0 } + texts[number])
        })
        let address = try await presenter.openRedirect()
        redirect.withLock { $0 = address }
        let came = try await presenter.answer(Base.visit(address))
        #expect(Base.address(came) == "\(address)?code=1&state=s")
        let problems: [PasteProblem?] = [nil, .fragment, .otherSignIn, .otherSignIn]
        #expect(told.withLock { $0 } == problems.map { $0?.text(redirect: address) })
        await presenter.closeRedirect()
    }
}
