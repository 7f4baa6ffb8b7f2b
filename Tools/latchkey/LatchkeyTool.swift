import CWipingHeap
import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The tool: parses a command line, runs its command, and ends with the exit status of the result.
package struct LatchkeyTool: Sendable {
    var environment: [String: String]
    var console: Console
    var world: PluginContext
    /// The clients of the command.
    var clients = OpenClients()
    /// What runs the development server; `nil` if this program does not have it.
    var devServer: (@Sendable (DevServerLine) async throws -> Void)?

    /// Runs this process's program, and ends it.
    ///
    /// The main thread only waits for signals. An `async` main would start threads and read the memory map before
    /// the first step is done.
    ///
    /// - Parameter devServer: What runs the development server, for the program that is nothing else; `nil` for the tool.
    package static func main(
        serving devServer: (@Sendable (DevServerLine) async throws -> Void)? = nil
    ) -> Never {
        StandardDescriptors.complete()
        let environment = SecretVariables.take()
        DescriptorRoom.demand(environment)
        var words = Array(ProcessArguments.all.dropFirst())
        if devServer != nil, words.first != "--version" { words.insert("dev-server", at: 0) }
        ProcessFolder.demand(words, environment)
        InheritedDescriptors.note()
        TerminalState.save()
        // Heap blocks are overwritten when they are freed, because tokens and passphrases pass through many.
        _ = latchkey_heap_is_wiped()
        let tool = LatchkeyTool(
            environment: environment, console: .standard, world: .system, devServer: devServer)
        let received = Locked<Int32?>(nil)
        Interrupts.install()
        // The program's only task, so that a signal can cancel it.
        let task = Task { [words] in
            var status = await tool.run(words)
            let signal = received.withLock { $0 }
            if let signal, status == .interrupted || tool.clients.wereHeldUp || (status == .success && signal == SIGINT)
            {
                status = ExitStatus(code: 128 + signal)
            }
            TerminalState.restore()
            // What was interrupted may still run on other threads, and an exit handler would take a library away
            // from under them.
            if signal != nil { _exit(status.code) }
            exit(status.code)
        }
        Interrupts.wait(while: { tool.clients.areBusy }) { number in
            received.withLock { $0 = number }
            // First, so that nothing more is sent; and what was sent goes on, though its task is cancelled.
            tool.clients.interrupt { [words] in tool.say($0, in: words) }
            task.cancel()
        }
    }

    /// Whether the store has refused something, which the end of the program waited for.
    private static func isOfStore(_ error: any Error) -> Bool {
        if case .store = (error as? AuthError)?.code { true } else { false }
    }

    /// Says on standard error what the end of the program waits for.
    private func say(_ text: ToolText, in words: [String]) {
        let texts = Self.wantsJSON(words) ? ToolTexts.english : ToolTexts(environment)
        console.note("latchkey: \(Console.printable(texts(text)))")
    }

    private static func wantsJSON(_ words: [String]) -> Bool { words.prefix { $0 != "--" }.contains("--json") }

    /// Runs the command line `words`, without the program's name.
    func run(_ words: [String]) async -> ExitStatus {
        var wantsJSON = Self.wantsJSON(words)
        var isSignIn = false
        var invoked: Invocation?
        var profile: String? { invoked?.profileOfHints }
        func hint(_ error: any Error) -> ToolText? { invoked.flatMap { Self.hint(for: error, in: $0) } }
        // Programs read English.
        var texts: ToolTexts { wantsJSON ? .english : ToolTexts(environment) }
        do {
            switch try Parser().parse(words) {
            case .version:
                try console.say("latchkey \(Self.version)")
                return .success
            case .help(let command):
                let help = HelpText(texts.language, columns: console.columns())
                try console.write(.output, Array((command.map(help.command) ?? help.program()).utf8))
                return .success
            case .run(let arguments):
                wantsJSON = arguments.has(.json)
                isSignIn = arguments.command.name == "login"
                var found = Invocation(
                    arguments: arguments, words: words, environment: environment, console: console, world: world,
                    clients: clients, devServer: devServer)
                AcceptedDirectory.apply(to: &found)
                let invocation = found
                invoked = invocation
                let result: Result<ExitStatus, any Error>
                do { result = .success(try await arguments.command.run(invocation)) } catch { result = .failure(error) }
                // A person whose time is over reads why first, and then what the program still waits for.
                var told: ExitStatus?
                if case .failure(let error) = result, clients.areBusy {
                    told = fail(error, profile, isSignIn: isSignIn, wantsJSON, hint)
                }
                let unstored = await invocation.endClients()
                await invocation.flushSecurityLogs()
                if let unstored, told == nil, case .failure(let error) = result,
                    (error as? ToolError)?.text != unstored.text
                {
                    told = fail(error, profile, isSignIn: isSignIn, wantsJSON, hint)
                }
                if let unstored { return fail(unstored, profile, isSignIn: isSignIn, wantsJSON, hint) }
                if case .failure(let error) = result, told != nil, Self.isOfStore(error), !wantsJSON {
                    say(ToolText("end.stored", ["command": invocation.shownLine("status")]), in: words)
                }
                return try told ?? result.get()
            }
        } catch {
            return fail(error, profile, isSignIn: isSignIn, wantsJSON, hint)
        }
    }

    /// Reports an error, and returns its exit status.
    private func fail(
        _ error: any Error, _ profile: String?, isSignIn: Bool, _ wantsJSON: Bool, _ hint: (any Error) -> ToolText?
    ) -> ExitStatus {
        // Programs read English.
        let texts = wantsJSON ? ToolTexts.english : ToolTexts(environment)
        guard let error = error as? Console.WriteError else {
            var found = ErrorReport(of: error, profile: profile, isSignIn: isSignIn, texts)
            if let hint = hint(error) { found.hint = texts(hint) }
            return report(found, wantsJSON)
        }
        if error.readerGone { return .brokenPipe }
        return report(
            ErrorReport(ToolError(.failure, code: "output", recovery: "none", "error.output"), texts), wantsJSON)
    }

    /// Returns the hint for an error whose cause may be in the profile or the environment.
    private static func hint(for error: any Error, in invocation: Invocation) -> ToolText? {
        guard let error = error as? AuthError else { return nil }
        if let hint = PlaceAdvice(invocation).hint(for: error) { return hint }
        if let hint = Command.withoutScopes(error, invocation) { return hint }
        if let hint = Command.makingAccount(error, invocation) { return hint }
        if let hint = SupabaseDesk.hint(for: error, invocation) { return hint }
        if let hint = ProfileVault.hint(for: error, invocation) { return hint }
        guard error.code == .configuration(.clientRefused) else { return nil }
        let isLogin = invocation.arguments.command.name == Command.login.name
        let profile = try? isLogin ? LoginProfile.make(invocation) : invocation.profile()
        return profile.flatMap { ClientSecrets.hint(for: $0, in: invocation) }
    }

    /// The version of the tool.
    static let version = UserAgent.version

    private func report(_ report: ErrorReport, _ asJSON: Bool) -> ExitStatus {
        // A person who pressed Ctrl-C needs no report.
        if report.status == .interrupted, !asJSON { return report.status }
        let lines = asJSON ? [String(decoding: Console.escaped(report.json.serialized()), as: UTF8.self)] : report.lines
        for line in lines { console.note(line) }
        return report.status
    }
}

extension ErrorReport {
    /// Creates the report of any error.
    init(of error: any Error, profile: String?, isSignIn: Bool = false, _ texts: ToolTexts = .english) {
        switch error {
        case let error as ToolError: self.init(error, profile: profile, isSignIn: isSignIn, texts)
        case let error as AuthError: self.init(error, profile: profile, isSignIn: isSignIn, texts)
        case let error as UsageError: self.init(error, texts)
        case is CancellationError: self.init(AuthError(.cancelled, "Interrupted."), texts)
        case let missing as MissingLibrary: self.init(AuthError(missing), profile: profile, texts)
        default:
            // A plugin's error may contain what must not be shown, so only its type is shown.
            self.init(
                ToolError(
                    .failure, code: "unforeseen", recovery: "none", "error.unforeseen", ["type": "\(type(of: error))"]),
                texts)
        }
    }
}
