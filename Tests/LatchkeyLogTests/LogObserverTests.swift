import FoundationEssentials
import LatchkeyJSON
import LatchkeySystem
import Latchkey
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyLog

@Suite struct LogObserverTests {
    private static let time = "2027-01-15T08:00:00.000Z"

    /// What the lines of one observer are.
    private func lines(_ format: LogObserver.Format, _ observations: [AuthObservation]) -> [String] {
        let lines = Locked<[String]>([])
        let clock = ManualClock(wall: Date(timeIntervalSince1970: 1_800_000_000))
        let observer = LogObserver(format, clock: clock) { line in lines.withLock { $0.append(line) } }
        for observation in observations { observer.observe(observation) }
        return lines.withLock { $0 }
    }

    private struct Row: CustomTestStringConvertible, Sendable {
        var observation: AuthObservation
        var line: String
        var json: String
        var testDescription: String { line }
    }

    private static let rows = [
        Row(
            observation: .request(
                method: "GET", origin: "https://id.example.com", status: 200, took: .nanoseconds(12_345_678)),
            line: "request method=GET origin=https://id.example.com status=200 seconds=0.012345",
            json: #""event":"request","method":"GET","origin":"https://id.example.com","status":200,"seconds":0.012345"#
        ),
        Row(
            observation: .request(method: "POST", origin: "", status: nil, took: .seconds(-1)),
            line: #"request method=POST origin="" status=- seconds=0.000000"#,
            json: #""event":"request","method":"POST","origin":"","status":null,"seconds":0.000000"#),
        Row(
            observation: .retry(method: "GET", origin: "https://a", status: 503, wait: .milliseconds(1_500)),
            line: "retry method=GET origin=https://a status=503 wait=1.500000",
            json: #""event":"retry","method":"GET","origin":"https://a","status":503,"wait":1.500000"#),
        Row(
            observation: .refresh("notes", .notDurable, took: .seconds(1)),
            line: "refresh provider=notes outcome=notDurable seconds=1.000000",
            json: #""event":"refresh","provider":"notes","outcome":"notDurable","seconds":1.000000"#),
        Row(
            observation: .store(.challenge, .replace, .conflict, took: .microseconds(7)),
            line: "store kind=challenge operation=replace outcome=conflict seconds=0.000007",
            json:
                #""event":"store","kind":"challenge","operation":"replace","outcome":"conflict","seconds":0.000007"#),
        Row(
            observation: .signIn("notes", .device, failure: .refused(.wrongInput), took: .zero),
            line: "signIn provider=notes method=device failure=refused.wrongInput seconds=0.000000",
            json:
                #""event":"signIn","provider":"notes","method":"device","failure":"refused.wrongInput","seconds":0.000000"#
        ),
        Row(
            observation: .signIn("-", nil, failure: nil, took: .seconds(4)),
            line: #"signIn provider="-" method=- failure=- seconds=4.000000"#,
            json: #""event":"signIn","provider":"-","method":null,"failure":null,"seconds":4.000000"#),
        Row(
            observation: .furtherProof(.stepUp, "notes", nil, failure: .declined, took: .seconds(4)),
            line: "furtherProof what=stepUp provider=notes method=- failure=declined seconds=4.000000",
            json:
                #""event":"furtherProof","what":"stepUp","provider":"notes","method":null,"failure":"declined","seconds":4.000000"#
        ),
        Row(
            observation: .refusal(.resource, .notAccepted), line: "refusal class=resource cause=notAccepted",
            json: #""event":"refusal","class":"resource","cause":"notAccepted""#),
        Row(
            observation: .refusal("my notes=\n", .fresh), line: #"refusal class="my notes=\u000a" cause=fresh"#,
            json: #""event":"refusal","class":"my notes=\u000a","cause":"fresh""#),
        Row(
            observation: .storeFailure(.credential, .lock, .store(.full)),
            line: "storeFailure kind=credential operation=lock reason=store.full",
            json: #""event":"storeFailure","kind":"credential","operation":"lock","reason":"store.full""#),
        Row(
            observation: .lockWait(.store, .busy, took: .seconds(20)),
            line: "lockWait lock=store outcome=busy seconds=20.000000",
            json: #""event":"lockWait","lock":"store","outcome":"busy","seconds":20.000000"#),
        Row(
            observation: .signInRequired("notes", .expired), line: "signInRequired provider=notes reason=expired",
            json: #""event":"signInRequired","provider":"notes","reason":"expired""#),
        Row(
            observation: .reauthentication(.banned, by: .otherAccount, after: .seconds(86_400)),
            line: "reauthentication reason=banned by=otherAccount seconds=86400.000000",
            json: #""event":"reauthentication","reason":"banned","by":"otherAccount","seconds":86400.000000"#),
        Row(
            observation: .firstToken(.refreshed, took: .milliseconds(1)),
            line: "firstToken source=refreshed seconds=0.001000",
            json: #""event":"firstToken","source":"refreshed","seconds":0.001000"#),
        Row(
            observation: .unlock(.usual, .biometrics, failure: nil, took: .seconds(1)),
            line: "unlock choice=usual kind=biometrics failure=- seconds=1.000000",
            json: #""event":"unlock","choice":"usual","kind":"biometrics","failure":null,"seconds":1.000000"#),
        Row(
            observation: .unlock(.fallback, nil, failure: .unlockUnavailable(.lockedOut), took: .zero),
            line: "unlock choice=fallback kind=- failure=unlockUnavailable.lockedOut seconds=0.000000",
            json:
                #""event":"unlock","choice":"fallback","kind":null,"failure":"unlockUnavailable.lockedOut","seconds":0.000000"#
        ),
        Row(
            observation: .signOut("notes", .queued), line: "signOut provider=notes outcome=queued",
            json: #""event":"signOut","provider":"notes","outcome":"queued""#),
        Row(observation: .gate(locked: true), line: "gate locked=true", json: #""event":"gate","locked":true"#),
        Row(
            observation: .pins(host: "a.example", .expired, seen: nil),
            line: "pins host=a.example outcome=expired seen=-",
            json: #""event":"pins","host":"a.example","outcome":"expired","seen":null"#),
        Row(
            observation: .pins(
                host: "a.example", .refused, seen: try? PublicKeyPin(digest: [UInt8](repeating: 0, count: 32))),
            line: #"pins host=a.example outcome=refused seen="AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=""#,
            json:
                #""event":"pins","host":"a.example","outcome":"refused","seen":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=""#
        ),
        Row(
            observation: .heldOff("notes", wait: .milliseconds(2_500)), line: "heldOff provider=notes wait=2.500000",
            json: #""event":"heldOff","provider":"notes","wait":2.500000"#),
        Row(
            observation: .idTokenPassedOver("notes", .keys), line: "idTokenPassedOver provider=notes fault=keys",
            json: #""event":"idTokenPassedOver","provider":"notes","fault":"keys""#),
        Row(
            observation: .integrity(.preloaded), line: "integrity finding=preloaded",
            json: #""event":"integrity","finding":"preloaded""#),
    ]

    @Test("each observation is the line that the table promises", .need("D4"), arguments: rows)
    private func table(row: Row) throws {
        #expect(lines(.lines, [row.observation]) == ["\(Self.time) \(row.line)"])
        let json = "{\"time\":\"\(Self.time)\",\(row.json)}"
        #expect(lines(.jsonLines, [row.observation]) == [json])
        #expect(try JSON.parse(Array(json.utf8))["time"]?.string == Self.time)
    }

    /// Not arguments of a test: the runner prints those as they are.
    private static let foreign = [
        "https://a b=\"c\"\\\n2027-01-15T08:00:00.000Z gate locked=true\r\u{1B}[2K\u{202E}\u{1F511}\u{0}", "a b", "a=b",
        "\"", "\\", "\n", "\r", "\u{7F}", "\u{85}", "\u{2028}", "é", "-", "", String(repeating: "x", count: 100_000),
        String(repeating: "\u{1F511}", count: 1_000),
    ]

    @Test("a foreign text forges no line, no field and no terminal command")
    func forgery() throws {
        let fields = [
            "method origin status seconds", "method origin status wait", "provider outcome seconds",
            "provider method failure seconds", "provider outcome", "provider reason",
        ]
        for text in Self.foreign {
            let observations: [AuthObservation] = [
                .request(method: text, origin: text, status: 1, took: .zero),
                .retry(method: text, origin: text, status: 1, wait: .zero),
                .refresh(ProviderID(text), .busy, took: .zero),
                .signIn(ProviderID(text), .link, failure: nil, took: .zero),
                .signOut(ProviderID(text), .done), .signInRequired(ProviderID(text), .banned),
            ]
            for (index, line) in lines(.lines, observations).enumerated() {
                #expect(line.utf8.allSatisfy { (0x20...0x7E).contains($0) })
                #expect(line.utf8.count < 4_000)
                let names = Self.unquoted(line).split(separator: " ").dropFirst(2).map { $0.prefix { $0 != "=" } }
                #expect(names.joined(separator: " ") == fields[index])
            }
            for line in lines(.jsonLines, observations) {
                #expect(line.utf8.allSatisfy { (0x20...0x7E).contains($0) })
                // A strict reader refuses U+0000, escaped or not.
                guard !text.contains("\u{0}") else { continue }
                let members = try JSON.parse(Array(line.utf8))
                let found = try #require(members["origin"]?.string ?? members["provider"]?.string)
                #expect(text.utf8.count <= 256 ? found == text : found.hasSuffix("...") && found.utf8.count <= 259)
            }
        }
    }

    /// The line without what stands in quotes.
    private static func unquoted(_ line: String) -> String {
        var (bare, isQuoted, isEscaped) = ("", false, false)
        for character in line {
            switch character {
            case _ where isEscaped: isEscaped = false
            case "\\": isEscaped = true
            case "\"": isQuoted.toggle()
            case _ where isQuoted: break
            default: bare.append(character)
            }
        }
        #expect(!isQuoted)
        return bare
    }

    @Test("the log observer keeps the contract of observers", arguments: [LogObserver.Format.lines, .jsonLines])
    func contract(format: LogObserver.Format) async throws {
        let lines = Locked<[String]>([])
        try await ObserverContract(
            count: { _ in lines.withLock { $0.count } },
            sink: .init(bound: 64) { LogObserver(format, descriptor: $0, limit: 64) },
            written: { _ in lines.withLock { $0 } }
        ) {
            lines.withLock { $0 = [] }
            return LogObserver(format) { line in lines.withLock { $0.append(line) } }
        }.run()
    }
}
