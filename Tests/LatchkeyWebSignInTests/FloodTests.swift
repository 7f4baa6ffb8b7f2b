import Foundation
import Latchkey
import LatchkeyFileStore
import LatchkeyModel
import LatchkeyTesting
import Testing

@testable import LatchkeyWebSignIn

/// A flood of anonymous forms, and then four weeks. `LATCHKEY_FLOOD` says how many forms; `Scripts/verify flood` prints the
/// figures.
@Suite("A flood of anonymous forms") struct FloodTests {
    private static let forms = ProcessInfo.processInfo.environment["LATCHKEY_FLOOD"].flatMap { Int($0) } ?? 600
    private static var people: Int { min(100, forms / 20) }

    private struct Size: CustomStringConvertible {
        var files = 0
        var bytes = 0
        var description: String { "\(files) files, \(bytes) bytes" }
    }

    private static func size(_ folder: String) throws -> Size {
        var size = Size()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            // A temporary file may be gone by now.
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: folder + "/" + name) else {
                continue
            }
            size.files += 1
            size.bytes += (attributes[.size] as? Int) ?? 0
        }
        return size
    }

    @Test("it ends its own guests: the store stays small, nobody is signed out or locked, and guests of before arrive")
    func flood() async throws {
        try await TemporaryFolder.with { folder in
            let clock = ManualClock()
            var context = PluginContext.testing(clock: clock, seed: 7)
            context.files = SystemFiles()
            let store = FileStore(unencryptedAt: folder["web"], context: context)
            let (service, unlock) = (ScriptedProvider(), ScriptedUnlock(clock: clock))
            var options = WebSignInOptions(name: "Notes", origin: WebBench.origin)
            options.model.methods = [.password, .browser]
            options.openLimit = Self.people + 20
            options.guests.number = max(640, Self.forms / 50)
            let policy = UnlockPolicy(atLaunch: false, enrolment: .offered)
            let web = WebBench.pages(over: store, options, service, (unlock, policy), context)
            func asked(_ name: String, to place: String = "/") async throws -> TestBrowser {
                var browser = TestBrowser(web)
                try await browser.open("/auth/sign-in?return=\(FormText.encode(place))")
                let challenge = Challenge(
                    id: "challenge-of-sixteen-\(name)", binding: service.rules.binding, ask: .totp)
                service.script(turns: .turn(.asked(challenge)))
                try await browser.submit("/auth/sign-in", ["identifier": "a@example.com", "password": "p"])
                #expect(browser.path == "/auth/challenge")
                return browser
            }

            var people: [TestBrowser] = []
            for number in 0..<Self.people {
                var browser = TestBrowser(web)
                try await browser.open("/auth/sign-in")
                service.script(turns: .granted(to: "person\(number)"))
                try await browser.submit("/auth/sign-in", ["identifier": "p\(number)@example.com", "password": "p"])
                try await browser.open("/auth/account")
                try await browser.submit("/auth/account", button: "unlock-on", ["proof": "1234"])
                people.append(browser)
            }
            var early: [TestBrowser] = []
            for number in 0..<5 {
                early.append(try await asked("early-\(number)", to: "/notes/\(number)"))
                clock.advance(by: .seconds(60))
            }
            let before = try Self.size(folder["web"])
            var peak = before
            let perMinute = max(100, Self.forms / 20)
            for number in 0..<Self.forms {
                _ = try await asked("\(number)")
                if number % perMinute == perMinute - 1 {
                    clock.advance(by: .seconds(60))
                    for browser in people { _ = await browser.send(WebRequest("GET", "/")) }
                    let size = try Self.size(folder["web"])
                    (peak.files, peak.bytes) = (max(peak.files, size.files), max(peak.bytes, size.bytes))
                }
            }
            var (disturbed, lost) = (0, 0)
            for browser in people where await browser.send(WebRequest("GET", "/")).status != 200 { disturbed += 1 }
            for (number, browser) in early.enumerated() {
                var browser = browser
                service.script(turns: .granted(to: "early\(number)"))
                try await browser.open("/auth/challenge")
                guard browser.path == "/auth/challenge" else {
                    lost += 1
                    continue
                }
                try await browser.submit("/auth/challenge", button: "answer", ["code": "123456"])
                if browser.path != "/notes/\(number)" { lost += 1 }
            }
            // Four weeks, in which the people come every other day and nobody else does.
            for _ in 0..<14 {
                clock.advance(by: .seconds(2 * 86_400 - 60))
                for browser in people { _ = await browser.send(WebRequest("GET", "/")) }
                // The clean-up may take long, but not by this clock.
                while web.sweeping()?.isRunning ?? false {
                    clock.advance(by: .milliseconds(200))
                    for _ in 0..<500 { await Task.yield() }
                }
            }
            var signedOut = 0
            for browser in people {
                let answer = await browser.send(WebRequest("GET", "/"))
                let place = answer.fields.first { $0.name == "Location" }?.value ?? ""
                if answer.status != 200, !place.hasPrefix("/auth/locked") { signedOut += 1 }
            }
            let after = try Self.size(folder["web"])
            print(
                """
                flood: forms=\(Self.forms) people=\(Self.people) guests_allowed=\(options.guests.number) \
                files_before=\(before.files) files_peak=\(peak.files) bytes_peak=\(peak.bytes) \
                files_after_four_weeks=\(after.files) bytes_after_four_weeks=\(after.bytes) disturbed=\(disturbed) \
                ways_lost=\(lost) signed_out_after_four_weeks=\(signedOut)
                """)
            #expect(disturbed == 0 && lost == 0 && signedOut == 0)
            // A guest has one file, and a lock file or two until they are looked at; 64 lists, rounded up.
            let most = (options.guests.number + 64) * 3 + 256
            #expect(peak.files <= before.files + most, "\(before), \(peak)")
            #expect(after.files <= before.files + 140, "\(before), \(after)")
            await web.finish()
        }
    }
}
