import Latchkey
import LatchkeySystem
import Proofs
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@testable import LatchkeyLoopback

@Suite("Browser")
struct BrowserTests {
    @Test("The program is not given the tool's variables, of which some are secrets and tokens")
    func secrets() {
        let environment = [
            "LATCHKEY_CLIENT_SECRET": "s3cr3t", "LATCHKEY_ACCESS_TOKEN": "t0k3n", "LATCHKEY_ACCESS_TOKEN_FILE": "/f",
            "LANG": "C", "NOT_LATCHKEY_": "kept",
        ]
        #expect(Browser(environment: environment).environment == ["LANG": "C", "NOT_LATCHKEY_": "kept"])
    }

    @Test(
        "A command is read as a shell reads it, and the address stands where %s does",
        arguments: [
            ("firefox", ["firefox", "U"]), ("firefox %s --wait", ["firefox", "U", "--wait"]),
            ("chromium --app=%s", ["chromium", "--app=U"]),
            (#"'/opt/My Browser/run' "-P a b" %s"#, ["/opt/My Browser/run", "-P a b", "U"]),
            (#"/opt/My\ Browser/run ''"#, ["/opt/My Browser/run", "", "U"]),
            (#"run "a 'b' \" c" '\'"#, ["run", #"a 'b' " c"#, #"\"#, "U"]), ("run 'a b", ["run", "a b", "U"]),
        ])
    func words(_ text: String, _ line: [String]) {
        let commands = Browser(environment: ["BROWSER": text]).commands
        #expect(commands.first.map { BrowserCommand.line($0, for: "U") } == line)
    }

    @Test("The commands come from the environment, and none is tried where there is no display")
    func commands() {
        #if os(Linux)
            #expect(Browser(environment: [:]).commands.isEmpty)
            #expect(Browser(environment: ["DISPLAY": ":0"]).commands == [["xdg-open"]])
            let named = Browser(environment: ["BROWSER": "firefox --new-window %s::links", "WAYLAND_DISPLAY": "w"])
            #expect(named.commands == [["firefox", "--new-window", "%s"], ["links"], ["xdg-open"]])
        #endif
    }

    @Test("A command that ends badly says so; one that cannot be started gives way to the next")
    func failure() async {
        var browser = Browser(environment: [:])
        browser.commands = [["/nonexistent/browser"], ["false"]]
        let isStarted = await withCheckedContinuation { continuation in
            let opened = Locked<Bool?>(nil)
            let started = browser.open("https://id.example/") { continuation.resume(returning: true) }
            opened.withLock { $0 = started }
            if !started { continuation.resume(returning: false) }
        }
        #expect(isStarted)
    }

    @Test("The address is one argument, whatever is in it", .standard(21))
    func oneArgument() async {
        let url = "https://id.example/?a=$(false)&b='\"`;exit 0"
        var browser = Browser(environment: [:])
        // Ends badly, and so reports, exactly when its last argument is the whole address and the only one.
        browser.commands = [["sh", "-c", "[ $# = 1 ] && [ \"$1\" = \"$0\" ] && exit 1; exit 0", url]]
        await withCheckedContinuation { continuation in
            let started = browser.open(url) { continuation.resume() }
            if !started {
                Issue.record("Not started")
                continuation.resume()
            }
        }
    }

    @Test("It gets no descriptor but the usual three, whatever was left open", .timeLimit(.minutes(1)))
    func descriptors() async throws {
        #if os(Linux)
            // Without close-on-exec, as a careless library opens it.
            let left = open("/dev/null", O_RDONLY)
            defer { close(left) }
            #expect(left > 2 && fcntl(left, F_GETFD) == 0)
            var browser = Browser(environment: [:])
            let report = "/tmp/latchkey-test-\(PluginContext.system.randomName())"
            defer { try? SystemFiles().remove(report) }
            // Ends badly in any case, which is how its end is known.
            let script = "if [ -e /proc/$$/fd/\(left) ]; then echo open; else echo closed; fi > \(report); exit 1"
            browser.commands = [["sh", "-c", script]]
            await withCheckedContinuation { continuation in
                if !browser.open("https://id.example/", failed: { continuation.resume() }) {
                    Issue.record("Not started")
                    continuation.resume()
                }
            }
            #expect(try SystemFiles().read(report, limit: 100) == Array("closed\n".utf8))
        #endif
    }

    @Test("It starts with no signal blocked", .timeLimit(.minutes(1)))
    func signals() async {
        #if os(Linux)
            var browser = Browser(environment: [:])
            // Ends badly, and so reports, exactly when nothing is blocked.
            let script = "grep -q '^SigBlk:.0000000000000000$' /proc/self/status && exit 1; exit 0"
            browser.commands = [["sh", "-c", script]]
            await withCheckedContinuation { continuation in
                if !browser.open("https://id.example/", failed: { continuation.resume() }) {
                    Issue.record("Not started")
                    continuation.resume()
                }
            }
        #endif
    }
}
