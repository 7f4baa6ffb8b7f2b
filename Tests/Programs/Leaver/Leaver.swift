import Latchkey
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeyOAuth

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `leaver DIRECTORY ISSUER return|exit|throw`: refreshes the session in the directory, and ends while the refresh is under
/// way, as short programs do: its main returns right after it has cancelled the task, calls `exit()`, or throws.
@main
struct Leaver {
    struct Failure: Error {}

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4 else { throw Failure() }
        var settings = EngineSettings()
        settings.refresh = .onDemand
        let auth = try AuthClient.Builder().provider(.oauth(issuer: arguments[2], clientID: "tool"))
            .store(.file(unencryptedAt: arguments[1])).transport(.curl()).settings(settings).build()
        try await auth.run { auth in
            let refresh = Task { try await auth.refresh() }
            // Until a request may have left: some programs end before, some after it has.
            try await Task.sleep(for: .milliseconds(400))
            refresh.cancel()
            if arguments[3] == "throw" { throw Failure() }
        }
        if arguments[3] == "exit" { exit(3) }
    }
}
