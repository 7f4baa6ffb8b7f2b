import Latchkey
import LatchkeyJSON
import LatchkeySupabase
import LatchkeySupabaseAdmin
import LatchkeyTesting
import Testing

@Suite("Users of a project, page by page")
struct PageTests {
    private static func link(_ next: Int?, last: Int, size: Int = 2) -> String {
        let links = [next.map { "</admin/users?page=\($0)&per_page=\(size)>; rel=\"next\"" }].compactMap(\.self)
        return (links + ["</admin/users?page=\(last)&per_page=\(size)>; rel=\"last\""]).joined(separator: ", ")
    }

    private func page(_ desk: Desk, _ number: Int, _ ids: [String], size: Int = 2, _ fields: HeaderFields = [:]) {
        desk.expect(
            "GET", "/admin/users?page=\(number)&per_page=\(size)",
            .json(["users": .array(ids.map { user($0) }), "aud": "authenticated"], 200, fields))
    }

    /// The ids that are read before the end or an error, and the error.
    private func read(_ desk: Desk, size: Int = 2) async -> ([String], AuthError?) {
        var (reader, ids) = (desk.admin.users(pageSize: size).makeAsyncIterator(), [String]())
        let error = await trouble { () throws(AuthError) in
            while let user = try await reader.next() { ids.append(user.id) }
        }
        // The end is the end.
        let after = await trouble { () throws(AuthError) in
            let more = try await reader.next()
            #expect(more == nil)
        }
        #expect(after == nil)
        return (ids, error)
    }

    @Test("the links lead through all pages, and end where no next one is named, even at a full page")
    func links() async throws {
        let desk = try Desk()
        page(desk, 1, ["a", "b"], ["Link": Self.link(2, last: 2), "X-Total-Count": "4"])
        page(desk, 2, ["c", "d"], ["Link": Self.link(nil, last: 2), "X-Total-Count": "4"])
        let (ids, error) = await read(desk)
        #expect(ids == ["a", "b", "c", "d"] && error == nil)
        try desk.transport.verifyFinished()
    }

    @Test("a page smaller than asked for is no end while a next one is named")
    func cappedPages() async throws {
        let desk = try Desk()
        page(desk, 1, ["a"], ["Link": Self.link(2, last: 2)])
        page(desk, 2, ["b"], ["Link": Self.link(nil, last: 2)])
        #expect(await read(desk).0 == ["a", "b"])
        try desk.transport.verifyFinished()
    }

    @Test("without links the count decides, and without a count whether the page is full")
    func withoutLinks() async throws {
        let counted = try Desk()
        // The service gave fewer than were asked for.
        page(counted, 1, ["a"], ["X-Total-Count": "3"])
        page(counted, 2, ["b"], ["X-Total-Count": "3"])
        page(counted, 3, ["c"], ["X-Total-Count": "3"])
        #expect(await read(counted).0 == ["a", "b", "c"])
        try counted.transport.verifyFinished()

        let bare = try Desk()
        page(bare, 1, ["a", "b"])
        page(bare, 2, ["c", "d"])
        page(bare, 3, [])
        #expect(await read(bare).0 == ["a", "b", "c", "d"])
        try bare.transport.verifyFinished()

        let foreign = try Desk()
        page(foreign, 1, ["a"], ["Link": "<https://cdn.test>; rel=preconnect", "X-Total-Count": "2"])
        page(foreign, 2, ["b"], ["Link": "<https://cdn.test>; rel=preconnect", "X-Total-Count": "2"])
        #expect(await read(foreign).0 == ["a", "b"])
    }

    @Test("nobody, as an empty list or as null, is an end without an error", arguments: ["[]", "null"])
    func nobody(list: String) async throws {
        for fields in [[:], ["Link": Self.link(2, last: 2)], ["X-Total-Count": "9"]] as [HeaderFields] {
            let desk = try Desk()
            desk.expect(
                "GET", "/admin/users",
                TransportResponse(status: 200, fields: fields, body: Array("{\"users\":\(list)}".utf8)))
            let (ids, error) = await read(desk)
            #expect(ids.isEmpty && error == nil && desk.transport.requests.count == 1)
        }
    }

    @Test(
        "a next page that is none, or not the one after this, is an error: neither a circle nor a gap",
        arguments: [1, 0, -1, 3, 99, nil])
    func circles(target: Int?) async throws {
        let desk = try Desk()
        let number = target.map(String.init) ?? "x"
        page(desk, 1, ["a", "b"], ["Link": "</admin/users?page=\(number)>; rel=\"next\""])
        let (ids, error) = await read(desk)
        #expect(ids.isEmpty && error?.code == .untrusted(.malformed))
        #expect(error?.message.contains("Page 1") == true && error?.message.contains("Link") == true)
        #expect(desk.transport.requests.count == 1)
    }

    @Test("an address of another host in a link is never asked")
    func foreignLink() async throws {
        let desk = try Desk()
        page(desk, 1, ["a", "b"], ["Link": "<https://evil.test/admin/users?per_page=2&page=2#x>; rel=\"next\""])
        page(desk, 2, ["c"], ["Link": Self.link(nil, last: 2)])
        #expect(await read(desk).0 == ["a", "b", "c"])
        #expect(desk.transport.requests.allSatisfy { $0.url.hasPrefix(Desk.url) })
    }

    @Test("an error names its page, keeps its code, and comes after everybody of the pages before")
    func errors() async throws {
        let desk = try Desk()
        page(desk, 1, ["a", "b"], ["Link": Self.link(2, last: 3)])
        desk.expect("GET", "/admin/users?page=2&per_page=2", .refusal(403, "not_admin"))
        var (ids, error) = await read(desk)
        #expect(ids == ["a", "b"] && error?.supabase == .notAdmin)
        #expect(
            error?.code == .configuration(.clientRefused) && error?.message.hasPrefix("Page 2 of the users") == true)

        let broken = try Desk()
        broken.expect("GET", "/admin/users", .json(["users": [user("a"), ["email": "b@example.test"]]]))
        (ids, error) = await read(broken)
        #expect(ids.isEmpty && error?.code == .untrusted(.malformed))
        #expect(error?.message.contains("$.users[1].id") == true, "\(error?.message ?? "")")

        let large = try Desk()
        large.fail("GET", "/admin/users", .tooLarge)
        (ids, error) = await read(large)
        #expect(error?.message.contains("Page 1") == true && error?.message.contains("too large") == true)
    }

    @Test("somebody who is pushed onto the next page while it is read comes once")
    func pushed() async throws {
        let desk = try Desk()
        page(desk, 1, ["b", "a"], ["Link": Self.link(2, last: 2)])
        page(desk, 2, ["a", "z"], ["Link": Self.link(nil, last: 2)])
        #expect(await read(desk).0 == ["b", "a", "z"])
        let all = try Desk()
        page(all, 1, ["b", "a"], ["Link": Self.link(2, last: 3)])
        page(all, 2, ["b", "a"], ["Link": Self.link(3, last: 3)])
        page(all, 3, ["z"], ["Link": Self.link(nil, last: 3)])
        #expect(await read(all).0 == ["b", "a", "z"])
    }

    @Test("a page is asked for when it is needed, and each loop reads anew")
    func lazy() async throws {
        let desk = try Desk()
        for number in 1...2 {
            desk.always(
                "GET", "/admin/users?page=\(number)&per_page=2",
                .json(
                    ["users": [user("\(number)a"), user("\(number)b")]], 200,
                    ["Link": Self.link(number == 1 ? 2 : nil, last: 2)]))
        }
        let users = desk.admin.users(pageSize: 2)
        #expect(desk.transport.requests.isEmpty)
        var reader = users.makeAsyncIterator()
        for count in [1, 1, 2, 2, 2] {
            _ = try await reader.next()
            #expect(desk.transport.requests.count == count)
        }
        for _ in 1...2 {
            var ids: [String] = []
            for try await user in users { ids.append(user.id) }
            #expect(ids == ["1a", "1b", "2a", "2b"])
        }
    }

    @Test(
        "the size of a page stays within what the service takes", arguments: [(0, 1), (-5, 1), (1_001, 1_000), (7, 7)])
    func sizes(asked: Int, sent: Int) async throws {
        let desk = try Desk()
        desk.expect("GET", "/admin/users?page=1&per_page=\(sent)", .json(["users": []]))
        var reader = desk.admin.users(pageSize: asked).makeAsyncIterator()
        _ = try await reader.next()
        try desk.transport.verifyFinished()
    }
}
