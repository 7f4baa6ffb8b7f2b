import FoundationEssentials
import Latchkey
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyLoopback

@Suite("The address that the browser is started with", .timeLimit(.minutes(1)))
struct StartAddressTests {
    private typealias Base = LoopbackPresenterTests

    /// A browser that writes its argument into a file, and does nothing else.
    private static func writing(to file: String) -> [[String]] { [["sh", "-c", "printf %s \"$1\" > '\(file)'", "sh"]] }

    private static func folder() throws -> String {
        let folder = "/tmp/latchkey-test-\(PluginContext.system.randomName())"
        try SystemFiles().makeDirectory(folder)
        return folder
    }

    /// What the browser was started with.
    private static func argument(in file: String) async throws -> String {
        while true {
            if let bytes = try SystemFiles().read(file, limit: 1 << 16), !bytes.isEmpty {
                return String(decoding: bytes, as: UTF8.self)
            }
            await Task.yield()
        }
    }

    @Test(
        "the browser is handed an address of the listener that says nothing of the visit, and is sent on from there",
        .standard(53))
    func start() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (presenter, announced) = Base.presenter(commands: Self.writing(to: "\(folder)/argument"))
        let redirect = try await presenter.openRedirect()
        let url = "https://id.example/authorize?state=s3cr3t"
        let answer = Task { try await presenter.answer(Base.visit(redirect, url: url)) }
        let handed = try await Self.argument(in: "\(folder)/argument")
        let own = try #require(WebAddress(handed))
        #expect(own.origin == WebAddress(redirect)?.origin && own.query == nil)
        // 128 random bits, and not those of the redirect.
        #expect(own.path.wholeMatch(of: /\/[0-9a-f]{32}/) != nil)
        #expect(!handed.contains("s3cr3t") && !handed.contains("id.example") && !redirect.contains(own.path))
        // Browsers look ahead and people reload: it answers as often as it is asked.
        for _ in 0..<3 {
            let sent = try await Base.get(handed)
            #expect(sent.status == 303 && sent.fields["Location"] == url && sent.body.isEmpty)
            #expect(sent.fields["Cache-Control"] == "no-store" && sent.fields["Referrer-Policy"] == "no-referrer")
            #expect(sent.fields["Connection"]?.lowercased() == "close")
        }
        _ = try await Base.bring("\(redirect)?code=1&state=s3cr3t", to: presenter, answer)
        // The sign-in is under way at the service; the address leads there no more.
        let late = try await Base.get(handed)
        #expect(late.status == 410 && late.fields["Location"] == nil)
        #expect(announced.withLock { $0 } == [url])
        await presenter.closeRedirect()
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var method = "GET"
        var ending = ""
        var fields: HeaderFields = [:]
        var status: Int
    }

    @Test(
        "whoever is no person's browser is not sent on, and learns nothing",
        arguments: [
            Refused(testDescription: "POST", method: "POST", status: 405),
            Refused(testDescription: "HEAD", method: "HEAD", status: 405),
            Refused(testDescription: "another host", fields: ["Host": "evil.example"], status: 421),
            Refused(testDescription: "a frame", fields: ["Sec-Fetch-Dest": "iframe"], status: 403),
            Refused(testDescription: "a script", fields: ["Sec-Fetch-Mode": "cors"], status: 403),
            Refused(testDescription: "a longer path", ending: "0", status: 404),
            Refused(testDescription: "a path below", ending: "/x", status: 404),
        ])
    func refused(_ row: Refused) async throws {
        let (presenter, announced) = Base.presenter()
        let redirect = try await presenter.openRedirect()
        let start = try #require(presenter.startAddress)
        // Nothing is visited yet.
        #expect(try await Base.get(start).status == 404)
        let answer = await Base.answer(presenter, announced, Base.visit(redirect))
        let response = try await Base.get(start + row.ending, row.method, row.fields)
        #expect(response.status == row.status && response.fields["Location"] == nil)
        #expect(!String(decoding: response.body, as: UTF8.self).contains("id.example"))
        _ = try await Base.bring("\(redirect)?code=1&state=s", to: presenter, answer)
        await presenter.closeRedirect()
    }

    @Test("each listener has an address of its own, from the context's randomness")
    func random() async throws {
        var starts: Set<String> = []
        for _ in 0..<5 {
            let (presenter, _) = Base.presenter()
            _ = try await presenter.openRedirect()
            starts.insert(try #require(presenter.startAddress.flatMap { WebAddress($0) }).path)
            await presenter.closeRedirect()
        }
        #expect(starts.count == 5)
    }

    @Test("only the option that says so hands the browser the service's own address")
    func exposed() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var options = LoopbackPresenter.Options()
        #expect(!options.exposesServiceAddress && !options.usesRandomPath)
        options.exposesServiceAddress = true
        let (presenter, _) = Base.presenter(options, commands: Self.writing(to: "\(folder)/argument"))
        let redirect = try await presenter.openRedirect()
        let answer = Task { try await presenter.answer(Base.visit(redirect)) }
        #expect(try await Self.argument(in: "\(folder)/argument") == "https://id.example/authorize?state=s")
        _ = try await Base.bring("\(redirect)?code=1&state=s", to: presenter, answer)
        await presenter.closeRedirect()
    }

    @Test("a browser that fails is made up for by the service's address, which is shown to copy")
    func shown() async throws {
        let (presenter, announced) = Base.presenter(commands: [["false"]])
        let redirect = try await presenter.openRedirect()
        let answer = await Base.answer(presenter, announced, Base.visit(redirect))
        #expect(announced.withLock { $0 } == ["https://id.example/authorize?state=s"])
        _ = try await Base.bring("\(redirect)?code=1&state=s", to: presenter, answer)
        await presenter.closeRedirect()
    }

    #if os(Linux)
        @Test(
            "a connection of another user, or of an unknown one, is not listened to; the option lets in the unknown alone",
            arguments: [
                (ConnectionOwner.user(4_242), false, false), (.user(4_242), true, false), (.unknown, false, false),
                (.unknown, true, true), (.user(0), false, true),
            ])
        func owners(owner: ConnectionOwner, exposes: Bool, isAnswered: Bool) async throws {
            var options = LoopbackPresenter.Options()
            options.exposesServiceAddress = exposes
            let theirs = Locked(true)
            let presenter = LoopbackPresenter(
                options, paste: nil, otherwise: nil, announce: { _ in }, context: .system,
                browser: Browser(environment: [:]),
                owner: { theirs.withLock { $0 } ? owner : ConnectionOwner.system($0) })
            let redirect = try await presenter.openRedirect()
            let answer = Task { try await presenter.answer(Base.visit(redirect)) }
            if isAnswered {
                async let page = Base.arrive("\(redirect)?code=theirs&state=s")
                #expect(Base.address(try await answer.value) == "\(redirect)?code=theirs&state=s")
                await presenter.conclude(Base.end)
                #expect(try await page.status == 200)
            } else {
                let refusal = try await Base.get("\(redirect)?code=theirs&state=s")
                #expect(refusal.status == 403 && String(decoding: refusal.body, as: UTF8.self).contains("not answered"))
                theirs.withLock { $0 = false }
                async let page = Base.arrive("\(redirect)?code=mine&state=s")
                #expect(Base.address(try await answer.value) == "\(redirect)?code=mine&state=s")
                await presenter.conclude(Base.end)
                #expect(try await page.status == 200)
            }
            await presenter.closeRedirect()
        }
    #endif
}
