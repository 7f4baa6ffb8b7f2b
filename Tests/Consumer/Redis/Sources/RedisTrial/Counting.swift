import Latchkey
import LatchkeyTesting
import RedisServing
import RedisStore

/// Eight writers count through a proxy that cuts every seventh answer.
struct Counting {
    let server: RedisServer
    let increments: Int

    init(_ server: RedisServer, increments: Int) {
        self.server = server
        self.increments = increments
    }

    func run() async throws -> Bool {
        let proxy = try CuttingProxy(to: server.port)
        defer { proxy.stop() }
        let began = ContinuousClock.now
        let report = try await FarCounting(writers: 8, each: increments / 8).run { _ in
            RedisStore(port: proxy.port, prefix: "counting", patience: .seconds(5))
        } begin: {
            proxy.cut(every: 7, by: [.answer, .half, .request])
        }
        print(
            "increments=\(report.increments) cut=\(proxy.cutAnswers) unknown=\(report.unknownOutcomes)",
            "conflicts=\(report.conflicts) seconds=\((ContinuousClock.now - began).components.seconds)",
            "lost=\(report.lost) doubled=\(report.doubled) conflicts_told_wrongly=\(report.conflictsToldWrongly)")
        return report.lost == 0 && report.doubled == 0 && report.conflictsToldWrongly == 0
    }
}
