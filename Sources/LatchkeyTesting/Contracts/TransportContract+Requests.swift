import Latchkey
import LatchkeyJSON

extension TransportContract {
    /// What arrives of a request, and what stays of it.
    func checkRequests(at server: LocalServer) async throws {
        try await clauses.clause("the address arrives as it is written, without its fragment") {
            for written in ["/echo/a%2Fb%20c?q=%26+%C3%A9&r=~;=&&state=a%3Db", "/echo?", "/echo/%41?next=/a//b"] {
                let before = server.requests.count
                try await send(TransportRequest("GET", server.url + written + "#fragment"))
                let arrived = server.requests.dropFirst(before).map { $0.path + ($0.query.map { "?\($0)" } ?? "") }
                try expect(arrived == [written], "one arrived otherwise, or not once")
            }
        }
        try await clauses.clause("method, fields and body arrive as they are") {
            // More than any connection takes at once.
            let large = [UInt8](repeating: 0x61, count: 6 << 20) + Array("the end".utf8)
            try await send(TransportRequest("POST", server.url + "/fault/kept", body: large))
            try expect(server.requests.last?.body == large, "a large body arrived otherwise")
        }
        try await clauses.clause("a request names the program, or what it says itself") {
            try await send(TransportRequest("GET", server.url + "/echo/plain"))
            let name = server.requests.last?.fields.all("User-Agent") ?? []
            try expect(name.count == 1 && name != [""], "a request without User-Agent names no program")
            try await send(TransportRequest("GET", server.url + "/echo/own", fields: ["user-agent": "Own/1.0"]))
            try expect(
                server.requests.last?.fields.all("User-Agent") == ["Own/1.0"], "its own User-Agent arrived otherwise")
        }
        try await clauses.clause("a redirect is returned and never followed") {
            for (method, status) in [("GET", 300), ("GET", 301), ("POST", 303), ("POST", 307), ("GET", 308)] {
                let request = TransportRequest(
                    method, server.url + "/fault/moved/\(status)", body: method == "POST" ? [1] : nil)
                let found = try await send(request).status
                try expect(found == status, "\(status) came as \(found)")
            }
            try expect(!server.requests.contains { $0.path.hasSuffix("followed") }, "one was followed")
        }
        try await clauses.clause("nothing is kept from one request for the next") { try await keepsNothing(server) }
        try await clauses.clause("a request that waits holds up no other") { try await holdsUpNone(server) }
    }

    /// What is left of a request and an answer in texts.
    func checkTexts(at server: LocalServer) async throws {
        try await clauses.clause("nothing of a request or an answer is printed") { try await printsNothing(server) }
    }

    private func keepsNothing(_ server: LocalServer) async throws {
        try await send(TransportRequest("GET", server.url + "/fault/cookie"))
        try await send(TransportRequest("GET", server.url + "/echo/after"))
        try expect(server.requests.last?.fields["Cookie"] == nil, "a cookie came back")
        let before = server.requests.count
        for _ in 1...2 {
            let answer = try await get(server.url + "/fault/kept")
            try expect(answer.status == 200 && answer.body == TransportFaults.body, "an answer came otherwise")
        }
        try expect(server.requests.count == before + 2, "of two requests alike, one did not arrive")
        try expect(server.requests.last?.fields["If-None-Match"] == nil, "the second asked for what is new alone")
        let refused = try await get(server.url + "/fault/signIn")
        try expect(refused.status == 401, "a sign-in that is asked for came as \(refused.status)")
        try expect(server.requests.count == before + 3, "a request arrived again after 401")
        var signed = TransportRequest("GET", server.url + "/echo/signed", fields: ["Authorization": "Bearer of-one"])
        try await send(signed)
        signed.fields = HeaderFields()
        try await send(signed)
        try expect(server.requests.last?.fields["Authorization"] == nil, "a field of another request came along")
    }

    private func printsNothing(_ server: LocalServer) async throws {
        let secrets = ["c0de-of-query", "t0ken-of-field", "passw0rd-of-body"].map { Secret($0) }
        var request = TransportRequest(
            "POST", server.url, fields: ["Authorization": "Bearer \(secrets[1].revealText())"],
            body: Array("password=\(secrets[2].revealText())".utf8))
        for fault in ["echo", "fault/hangUp", "fault/half", "fault/moved/302", "fault/silence", "fault/endlessBody"] {
            request.url =
                "\(server.url)/\(fault)/\(fault == "fault/moved/302" ? "302" : "a")?code=\(secrets[0].revealText())"
            do { try await send(request, deadline: fault == "fault/silence" ? .milliseconds(200) : .seconds(10)) } catch
            {
                try Self.check(secrets, in: error, "the error of \(fault)")
            }
        }
        request.url = "no address?code=\(secrets[0].revealText())"
        do { try await send(request) } catch { try Self.check(secrets, in: error, "the error of what is no request") }
        try Self.check(secrets, in: transport, "the transport")
    }

    private static func check(_ secrets: [Secret], in value: Any, _ what: String) throws {
        for secret in secrets {
            try expect(!Printed.shows(secret, in: value), "\(what) prints what was sent")
        }
    }

    private func holdsUpNone(_ server: LocalServer) async throws {
        let waiting = (1...4).map { number in
            Task { try await get(server.url + "/fault/silence/held/\(number)", deadline: .seconds(60)) }
        }
        defer { for task in waiting { task.cancel() } }
        let other = try await get(server.url + "/status/200")
        try expect(other.status == 200, "the other came as \(other.status)")
        while server.requests.count(where: { $0.path.contains("/held/") }) < 4 {
            try await Task.sleep(for: .milliseconds(2))
        }
        let last = try await get(server.url + "/status/201")
        try expect(last.status == 201, "the other came as \(last.status)")
    }
}
