import Latchkey
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyLoopback

@Suite("A visit without a state", .timeLimit(.minutes(1)))
struct UnprovenRedirectTests {
    private typealias Base = LoopbackPresenterTests

    private static let url = "https://id.example/authorize?redirect_to=x"

    @Test(
        "what carries neither a code nor an error is not taken",
        arguments: ["x", "x=1", "code=", "error=", "code=1&code=2", "code=1&error=2", "state=s", "message=m", "Code=1"])
    func junk(query: String) async throws {
        let (presenter, announced) = Base.presenter()
        let redirect = try await presenter.openRedirect()
        let answer = await Base.answer(presenter, announced, Base.visit(redirect, url: Self.url))
        #expect(try await Base.get("\(redirect)?\(query)").status == 404)
        let (came, page) = try await Base.bring("\(redirect)?code=right", to: presenter, answer)
        #expect(page.status == 200)
        #expect(Base.address(came) == "\(redirect)?code=right")
        await presenter.closeRedirect()
    }

    @Test(
        "after a redirect that was refused it waits for the next, without a second browser, and takes none twice",
        .standard(28))
    func again() async throws {
        let (presenter, announced) = Base.presenter()
        let redirect = try await presenter.openRedirect()
        let visit = Base.visit(redirect, url: Self.url)
        let first = await Base.answer(presenter, announced, visit)
        #expect(!(await presenter.goesOnWaiting(for: visit)))
        async let denied = Base.get("\(redirect)?error=access_denied")
        #expect(Base.address(try await first.value) == "\(redirect)?error=access_denied")
        #expect(await presenter.goesOnWaiting(for: visit))
        #expect(String(decoding: try await denied.body, as: UTF8.self).contains("did not succeed"))
        // The same once more is no other redirect, and its page is the same.
        #expect(try await Base.get("\(redirect)?error=access_denied").status == 200)
        async let forged = Base.get("\(redirect)?code=forged")
        #expect(Base.address(try await presenter.answer(visit)) == "\(redirect)?code=forged")
        // One that comes while the first is with the service waits its turn.
        async let mine = Base.get("\(redirect)?code=mine")
        #expect(await presenter.goesOnWaiting(for: visit))
        #expect(String(decoding: try await forged.body, as: UTF8.self).contains("did not succeed"))
        #expect(Base.address(try await presenter.answer(visit)) == "\(redirect)?code=mine")
        await presenter.conclude(.success(.signedIn(EndPageTests.session)))
        #expect(String(decoding: try await mine.body, as: UTF8.self).contains("ada@example.test"))
        // Whoever forged the other reads nothing of who is signed in.
        let late = try await Base.get("\(redirect)?code=forged")
        #expect(!String(decoding: late.body, as: UTF8.self).contains("ada@example.test"))
        #expect(announced.withLock { $0 } == [Self.url])
        await presenter.closeRedirect()
    }

    @Test("a redirect that nobody looked at before another one succeeded is over, and its browser reads no name")
    func unread() async throws {
        let (presenter, announced) = Base.presenter()
        let redirect = try await presenter.openRedirect()
        let first = await Base.answer(presenter, announced, Base.visit(redirect, url: Self.url))
        async let mine = Base.get("\(redirect)?code=mine")
        #expect(Base.address(try await first.value) == "\(redirect)?code=mine")
        async let queued = Base.get("\(redirect)?code=forged")
        while !presenter.hasMoreRedirects { await Task.yield() }
        await presenter.conclude(.success(.signedIn(EndPageTests.session)))
        #expect(String(decoding: try await mine.body, as: UTF8.self).contains("ada@example.test"))
        let other = String(decoding: try await queued.body, as: UTF8.self)
        #expect(other.contains("Already done") && !other.contains("ada@example.test"))
        await presenter.closeRedirect()
    }

    @Test("sixteen that were refused are enough")
    func bounded() async throws {
        let (presenter, _) = Base.presenter()
        let redirect = try await presenter.openRedirect()
        let visit = Base.visit(redirect, url: Self.url)
        for number in 0..<RedirectInbox.mostTries {
            async let page = Base.arrive("\(redirect)?code=\(number)")
            _ = try await presenter.answer(visit)
            #expect(await presenter.goesOnWaiting(for: visit) == (number < RedirectInbox.mostTries - 1))
            if number == RedirectInbox.mostTries - 1 { await presenter.conclude(Base.end) }
            #expect(try await page.status == 200)
        }
        #expect(try await Base.get("\(redirect)?code=more").status == 410)
        await presenter.closeRedirect()
    }

    @Test("a redirect that is proven by its state or its path counts at once, and what is pasted as well")
    func proven() async throws {
        var options = LoopbackPresenter.Options()
        options.usesRandomPath = true
        for (isRandom, url, query) in [
            (false, "https://id.example/authorize?state=s", "error=access_denied&state=s"),
            (true, Self.url, "error=access_denied"),
        ] {
            let (presenter, announced) = Base.presenter(isRandom ? options : .init())
            let redirect = try await presenter.openRedirect()
            let visit = Base.visit(redirect, url: url)
            let answer = await Base.answer(presenter, announced, visit)
            async let page = Base.get("\(redirect)?\(query)")
            _ = try await answer.value
            #expect(!(await presenter.goesOnWaiting(for: visit)))
            await presenter.closeRedirect()
            #expect(try await page.status == 200)
        }
        let pasted = Locked("")
        let (presenter, _) = Base.presenter(paste: { _ in Secret(pasted.withLock { $0 }) })
        let redirect = try await presenter.openRedirect()
        pasted.withLock { $0 = "\(redirect)?code=pasted" }
        let visit = Base.visit(redirect, url: Self.url)
        _ = try await presenter.answer(visit)
        #expect(!(await presenter.goesOnWaiting(for: visit)))
        await presenter.closeRedirect()
    }

    @Test(
        "a service that ends a visit by returning alone is understood, whatever is behind the address, also a foreign state",
        arguments: ["", "?", "?__clerk_status=failed", "?rotating_token_nonce=n"])
    func bare(query: String) async throws {
        var options = LoopbackPresenter.Options()
        options.takesBareRedirects = true
        for url in [Self.url, "https://id.example/authorize?state=of-another"] {
            let (presenter, announced) = Base.presenter(options)
            let redirect = try await presenter.openRedirect()
            #expect(redirect.hasSuffix("/callback"))
            let visit = Base.visit(redirect, url: url)
            let first = await Base.answer(presenter, announced, visit)
            #expect(try await Base.get("\(redirect)/x\(query)").status == 404)
            let (came, page) = try await Base.bring(redirect + query, to: presenter, first)
            #expect(page.status == 200 && Base.address(came) == redirect + query)
            // It may have been forged, so another one may come.
            #expect(await presenter.goesOnWaiting(for: visit))
            await presenter.closeRedirect()
        }
        let pasted = Locked("")
        let (presenter, _) = Base.presenter(options, paste: { _ in Secret(pasted.withLock { $0 }) })
        let redirect = try await presenter.openRedirect()
        pasted.withLock { $0 = redirect + query }
        #expect(Base.address(try await presenter.answer(Base.visit(redirect, url: Self.url))) == redirect + query)
        await presenter.closeRedirect()
    }

    @Test(
        "a random path is the redirect's alone: the plain one is not there, and each listener has its own",
        .standard(28))
    func randomPath() async throws {
        var options = LoopbackPresenter.Options()
        options.usesRandomPath = true
        var paths: Set<String> = []
        for _ in 0..<3 {
            let (presenter, announced) = Base.presenter(options)
            let redirect = try await presenter.openRedirect()
            let own = try #require(WebAddress(redirect))
            #expect(own.path.wholeMatch(of: /\/callback\/[0-9a-f]{32}/) != nil)
            paths.insert(own.path)
            let answer = await Base.answer(presenter, announced, Base.visit(redirect, url: Self.url))
            let start = try #require(presenter.startAddress)
            #expect(!start.contains(own.path.suffix(32)))
            for path in ["/callback", "/callback/", "\(own.path)0", "/callback/\(String(repeating: "0", count: 32))"] {
                #expect(try await Base.get("\(own.origin)\(path)?code=forged").status == 404)
            }
            let (came, page) = try await Base.bring("\(redirect)?code=mine", to: presenter, answer)
            #expect(page.status == 200)
            #expect(Base.address(came) == "\(redirect)?code=mine")
            await presenter.closeRedirect()
        }
        #expect(paths.count == 3)
    }

    @Test("a state that belongs to another redirect, as of a visit at the next service at once, is not waited for")
    func foreignState() {
        let redirect = "http://127.0.0.1:1/callback"
        let base = "https://github.test/authorize?state=theirs&redirect_uri="
        let encoded = "http%3A%2F%2F127.0.0.1%3A1%2Fcallback"
        func proof(_ url: String, random: Bool = false) -> Visit.Proof {
            Visit(url, redirect: redirect, hasRandomPath: random).proof
        }
        #expect(proof(base + encoded) == .state(Secret("theirs")))
        #expect(proof("https://id.example/?state=s") == .state(Secret("s")))
        #expect(proof("\(base)https%3A%2F%2Fabc.supabase.co%2Fauth%2Fv1%2Fcallback") == .none)
        #expect(proof("\(base)https%3A%2F%2Fabc.supabase.co%2Fauth%2Fv1%2Fcallback", random: true) == .path)
        #expect(proof(base + encoded + "&redirect_uri=https%3A%2F%2Fx") == .none)
        #expect(proof("https://id.example/?state=a&state=b") == .none)
        #expect(proof("https://id.example/?state=") == .none)
        #expect(proof("https://id.example/") == .none)
    }
}
