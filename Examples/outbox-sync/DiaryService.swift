import Foundation
import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyHTTPServer

/// The service of the diary: stores each event once, for whoever shows a token that the identity service accepts.
actor DiaryService {
    private let project: String
    private let key: String
    private let transport = CurlTransport()
    /// What was answered to each `Idempotency-Key`.
    private var answered: Set<String> = []
    private var stored: [String] = []
    private var resent = 0
    private var refused = 0

    init(project: String, key: String) {
        self.project = project
        self.key = key
    }

    /// Runs it with the development server as identity service, until the program is ended.
    static func run() async throws {
        let configuration = DevServer.Configuration()
        let server = try DevServer(configuration)
        let key = configuration.supabase.publishableKey ?? ""
        let service = DiaryService(project: server.supabaseURL, key: key)
        let http = try HTTPServer { await service.answer($0) }
        print("project=\(server.supabaseURL)")
        print("key=\(key)")
        print("events=http://127.0.0.1:\(http.port)/events")
        fflush(nil)
        while true { try await Task.sleep(for: .seconds(3_600)) }
    }

    private func answer(_ request: ServerRequest) async -> ServerResponse {
        switch (request.method, request.path) {
        case ("GET", "/count"):
            let distinct = Set(stored).count
            return .json(
                Array(
                    """
                    {"stored":\(stored.count),"distinct":\(distinct),"resent":\(resent),"refused":\(refused)}
                    """.utf8))
        case ("POST", "/events"): return await store(request)
        default: return .json(Array("{}".utf8), status: 404)
        }
    }

    private func store(_ request: ServerRequest) async -> ServerResponse {
        guard let token = request.field("authorization"), await isAccepted(token) else {
            refused += 1
            return .json(Array("{}".utf8), status: 401)
        }
        guard let name = request.field("idempotency-key") else { return .json(Array("{}".utf8), status: 400) }
        if answered.insert(name).inserted {
            stored.append(String(decoding: request.body, as: UTF8.self))
        } else {
            resent += 1
        }
        return .json(Array("{}".utf8), status: 201)
    }

    /// Asks the identity service, so that a session that it ended is noticed at once.
    private func isAccepted(_ token: String) async -> Bool {
        var question = TransportRequest("GET", "\(project)/auth/v1/user")
        question.fields.add("Authorization", token)
        question.fields.add("apikey", key)
        return (try? await transport.send(question, deadline: .seconds(10)))?.status == 200
    }
}
