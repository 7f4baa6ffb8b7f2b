import Latchkey
import LatchkeyHTTPServer
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyLoopback

@Suite("Where the redirect comes back to", .timeLimit(.minutes(1))) struct RedirectPlaceTests {
    private typealias Base = LoopbackPresenterTests

    private static let hasIPv6 = (try? HTTPServer(host: "::1") { _ in nil }) != nil

    @Test(
        "an address that a service registers is read into host, port and path, and written as it was",
        arguments: [
            ("http://127.0.0.1/callback", LoopbackRedirect()),
            ("http://localhost", LoopbackRedirect(host: .localhost, path: "")),
            ("http://localhost/", LoopbackRedirect(host: .localhost, path: "/")),
            ("http://localhost:8400", LoopbackRedirect(host: .localhost, port: 8_400, path: "")),
            ("http://localhost:8400/a/b", LoopbackRedirect(host: .localhost, port: 8_400, path: "/a/b")),
            ("http://[::1]", LoopbackRedirect(host: .ipv6, path: "")),
            ("http://[::1]:9/x", LoopbackRedirect(host: .ipv6, port: 9, path: "/x")),
        ])
    func reads(text: String, place: LoopbackRedirect) throws {
        #expect(try LoopbackRedirect(text) == place && place.description == text)
    }

    @Test(
        "what is not http to this machine is refused",
        arguments: [
            "", "localhost", "https://localhost/", "http://127.0.0.2/", "http://localhost.example/", "http://0.0.0.0/",
            "http://[::]/", "http://[::ffff:127.0.0.1]/", "http://a@localhost/", "http://localhost:0/",
            "http://localhost:65536/", "http://localhost/?a=b", "http://localhost/#", "http://local host/",
            "com.example:/callback", "http://127.1/",
        ])
    func refuses(text: String) {
        let error = #expect(throws: AuthError.self) { try LoopbackRedirect(text) }
        #expect(error?.code == .configuration(.invalid))
    }

    @Test(
        "the redirect has the host and the path that were asked for, and comes back there",
        arguments: LoopbackHost.allCases, ["", "/", "/callback", "/a/b"])
    func comesBack(host: LoopbackHost, path: String) async throws {
        guard host != .ipv6 || Self.hasIPv6 else { return print("skipped: this machine has no IPv6") }
        let options = LoopbackPresenter.Options(redirect: LoopbackRedirect(host: host, path: path))
        let (presenter, announced) = Base.presenter(options)
        let redirect = try await presenter.openRedirect()
        let place = try LoopbackRedirect(redirect)
        #expect(place.host == host && place.path == path && place.port != nil)
        let answer = await Base.answer(presenter, announced, Base.visit(redirect))
        let (came, page) = try await Base.bring("\(redirect)?code=1&state=s", to: presenter, answer)
        #expect(page.status == 200)
        // A browser writes a slash where the redirect has no path.
        let shown = path.isEmpty ? "\(redirect)/" : redirect
        #expect(Base.address(came) == "\(shown)?code=1&state=s")
        await presenter.closeRedirect()
    }

    @Test("localhost is heard at both of its addresses, by one name alone", .standard(25))
    func bothFamilies() async throws {
        let options = LoopbackPresenter.Options(redirect: LoopbackRedirect(host: .localhost))
        let (presenter, announced) = Base.presenter(options)
        let redirect = try await presenter.openRedirect()
        let port = try #require(try LoopbackRedirect(redirect).port)
        let answer = await Base.answer(presenter, announced, Base.visit(redirect))
        for address in ["127.0.0.1", "[::1]"] where address == "127.0.0.1" || Self.hasIPv6 {
            let url = "http://\(address):\(port)/callback?code=1&state=s"
            // Its own name there, or a name that leads there, is another one.
            #expect(try await Base.get(url).status == 421)
            #expect(try await Base.get(url, "GET", ["Host": "evil.example:\(port)"]).status == 421)
            let found = try await Base.get(
                "http://\(address):\(port)/favicon.ico", "GET", ["Host": "LocalHost:\(port)"])
            #expect(found.status == 404)
        }
        _ = try await Base.bring("\(redirect)?code=1&state=s", to: presenter, answer)
        await presenter.closeRedirect()
    }

    @Test(
        "a port of localhost that another program has at one address is refused, and the address named", .standard(25))
    func halfTaken() async throws {
        for address in ["127.0.0.1", "::1"] where address == "127.0.0.1" || Self.hasIPv6 {
            let other = try HTTPServer(host: address) { _ in nil }
            let place = LoopbackRedirect(host: .localhost, port: other.port)
            let (presenter, _) = Base.presenter(.init(redirect: place))
            let error = await #expect(throws: AuthError.self) { try await presenter.openRedirect() }
            #expect(error?.code == .configuration(.invalid))
            #expect(error?.message.contains("Port \(other.port) on \(address) is taken by another program") == true)
            // Nothing is left listening at the other address.
            let freed = address == "::1" ? "127.0.0.1" : "::1"
            if freed == "127.0.0.1" || Self.hasIPv6 {
                try HTTPServer(host: freed, port: other.port) { _ in nil }.stop()
            }
            other.stop()
        }
    }
}
