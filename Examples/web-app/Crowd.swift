import Foundation
import Latchkey
import LatchkeyCurl
import LatchkeySystem
import LatchkeyWebSignIn

/// A crowd that signs in, so many at once, each in a browser of their own, and then reads the account page. The same
/// server without sessions is measured beside it, and with the same requests.
struct Crowd: Sendable {
    static let password = "a long enough password"

    static func address(_ number: Int) -> String { "person\(number)@example.test" }

    private let settings: Settings

    init(_ settings: Settings) { self.settings = settings }

    func run() async throws {
        let site = try Site(settings)
        var bare = settings
        bare.isPlain = true
        let plain = try Site(bare)
        let began = ContinuousClock.now
        let browsers = await each(settings.people) { number in await Self.signIn(number, at: site.origin) }
        let signedIn = browsers.compactMap(\.self)
        print("signed_in=\(signedIn.count) seconds=\(Self.seconds(since: began)) open=\(await site.web.openVisitors)")
        let requests = settings.people * 5
        // One round each to warm up, then in turns, so that both have the same machine.
        var (rates, plainRates, failed) = ([Double](), [Double](), settings.people - signedIn.count)
        for round in 0..<4 where !signedIn.isEmpty {
            let (rate, missed) = await self.rate(requests) { number in
                let number = number % signedIn.count
                guard let page = await signedIn[number].get("/auth/account") else { return false }
                return page.status == 200 && page.text.contains(signedIn[number].name)
            }
            let (plainRate, plainMissed) = await self.rate(requests) { number in
                await Browser(plain.origin, "").get("/auth/account")?.status == 200
            }
            failed += missed + plainMissed
            if round > 0 { (rates, plainRates) = (rates + [rate], plainRates + [plainRate]) }
        }
        let (with, without) = (Self.median(rates), Self.median(plainRates))
        print(
            """
            people=\(settings.people) at_once=\(settings.atOnce) failed=\(failed) requests/s=\(Int(with)) \
            without_sessions=\(Int(without)) ratio=\(String(format: "%.2f", with / max(1, without)))
            """)
        await site.stop()
        await plain.stop()
        if failed > 0 { exit(1) }
    }

    private static func signIn(_ number: Int, at origin: String) async -> Browser? {
        let browser = Browser(origin, address(number))
        guard let page = await browser.get("/auth/sign-in") else { return nil }
        let form = page.hidden + [("identifier", address(number)), ("password", password)]
        guard await browser.post("/auth/sign-in", form)?.status == 303,
            await browser.get("/")?.text.contains(address(number)) ?? false
        else { return nil }
        return browser
    }

    private func rate(_ count: Int, _ work: @escaping @Sendable (Int) async -> Bool) async -> (Double, failed: Int) {
        let began = ContinuousClock.now
        let failed = await each(count, work).count { !$0 }
        return (Double(count) / Self.seconds(since: began), failed)
    }

    /// Runs `work` for each number, so many at once as the settings say.
    private func each<Value: Sendable>(
        _ count: Int, _ work: @escaping @Sendable (Int) async -> Value
    ) async -> [Value] {
        let next = Locked(0)
        return await withTaskGroup(of: [Value].self) { group in
            for _ in 0..<settings.atOnce {
                group.addTask {
                    var values: [Value] = []
                    while true {
                        let number = next.withLock { next in
                            defer { next += 1 }
                            return next
                        }
                        guard number < count else { return values }
                        values.append(await work(number))
                    }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
    }

    private static func seconds(since began: ContinuousClock.Instant) -> Double {
        let (seconds, attoseconds) = (ContinuousClock.now - began).components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    private static func median(_ values: [Double]) -> Double {
        values.isEmpty ? 0 : values.sorted()[values.count / 2]
    }
}

/// One person's browser: it keeps the session cookie, and sends forms back with what is hidden in them.
final class Browser: Sendable {
    struct Page {
        var status: Int
        var text: String

        /// The hidden fields of the first form.
        var hidden: [(name: String, value: String)] {
            let form = text.components(separatedBy: "</form>").first ?? ""
            return form.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)"/).map {
                (String($0.1), String($0.2))
            }
        }
    }

    private static let transport = CurlTransport()

    let name: String
    private let origin: String
    private let cookie = Locked<String?>(nil)

    init(_ origin: String, _ name: String) { (self.origin, self.name) = (origin, name) }

    func get(_ path: String) async -> Page? { await send(TransportRequest("GET", origin + path)) }

    func post(_ path: String, _ form: [(name: String, value: String)]) async -> Page? {
        let body = form.map { "\(Self.escaped($0.name))=\(Self.escaped($0.value))" }.joined(separator: "&")
        var request = TransportRequest("POST", origin + path, body: Array(body.utf8))
        request.fields.add("Content-Type", "application/x-www-form-urlencoded")
        request.fields.add("Origin", origin)
        return await send(request)
    }

    private func send(_ request: TransportRequest) async -> Page? {
        var request = request
        if let cookie = cookie.withLock({ $0 }) { request.fields.add("Cookie", cookie) }
        guard let response = try? await Self.transport.send(request, deadline: .seconds(60)) else { return nil }
        for value in response.fields.all("Set-Cookie") where value.hasPrefix("__Host-session=") {
            cookie.withLock { $0 = value.split(separator: ";").first.map(String.init) }
        }
        return Page(status: response.status, text: String(decoding: response.body, as: UTF8.self))
    }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
