import Foundation
import Latchkey
import LatchkeySystem
import LatchkeyDevServer
import LatchkeyOAuth
import LatchkeyTesting
import Proofs
import Testing

/// What every answer of a gateway does, at every place at which one can come.
@Suite("Answers that something in front of the service gives", .serialized) struct GatewayTests {
    @Test("whatever a gateway answers, it blocks no refresh, ends no session and is told as what it is", .law(3))
    func everywhere() async throws {
        let rows = try GatewayRow.all()
        let service = try FaultyService()
        defer { service.server.stop() }
        let current = Locked(rows[0])
        var report = GatewayReport()
        try await LocalServer.with { _ in
            let bytes = current.withLock { $0 }.bytes(at: HTTPDate.text(service.clock.wall()))
            return bytes.isEmpty ? .hangUp : .bytes(bytes)
        } during: { gateway in
            var walk = try GatewayWalk(service, GatewaySwitch(at: gateway.url))
            try await walk.begin()
            for row in rows {
                current.withLock { $0 = row }
                try await walk.walk(row)
            }
            var project = SupabaseGatewayWalk(service, walk.gate, walk.report)
            for row in rows {
                current.withLock { $0 = row }
                try await project.walk(row)
            }
            report = project.report
        }
        for line in report.faults { print("gateway-fault: \(line)") }
        for line in report.table { print("gateway-told: \(line)") }
        print("gateways: rows=\(rows.count) \(report.line)")
        #expect(report.faults.isEmpty)
        #expect(report.places.count == 26)
    }
}
