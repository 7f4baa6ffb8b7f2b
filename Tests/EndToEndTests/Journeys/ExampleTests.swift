import Latchkey
import LatchkeyDevServer
import Testing

/// The small programs under `Examples`, as they are built, against a service over real sockets.
@Suite("The example programs") struct ExampleTests {
    private let folder = TemporaryFolder()

    private var variables: [String: String] {
        [
            "HOME": folder.path, "XDG_DATA_HOME": "\(folder.path)/data",
            "BROWSER": "curl --silent --location --noproxy * --output /dev/null",
        ]
    }

    @Test("browser-login signs in once; the next start finds the session")
    func browser() async throws {
        let server = try Service.start()
        let program = try Program.built("browser-login")
        for line in ["Signed in as ada@example.test.", "Still signed in as ada@example.test."] {
            let result = try await program.run([server.issuer, "dev-native"], environment: variables)
            #expect(result.output == line + "\nHello, Ada.\n", "\(result.errors)")
        }
        server.stop()
        let offline = try await program.run([server.issuer, "dev-native"], environment: variables)
        #expect(offline.output == "Still signed in as ada@example.test.\nHello, Ada.\n")
    }

    @Test("device-login shows a code at the terminal and is signed in when it was approved")
    func device() async throws {
        let server = try Service.start()
        let terminal = try TestTerminal()
        let child = try Program.built("device-login").start(
            at: terminal, [server.issuer, "dev-device"], environment: variables)
        let result = try await child.wait()
        #expect(terminal.screen().contains("\(server.issuer)/device"))
        #expect((result.output + terminal.screen()).contains("Signed in as ada@example.test."))
        server.stop()
    }

    @Test("service calls the resource with a token of its own; a wrong secret is said to be the configuration's fault")
    func service() async throws {
        let server = try Service.start()
        defer { server.stop() }
        let program = try Program.built("service")
        let words = [server.issuer, "dev-service", "\(server.issuer)/resource"]
        let right = variables.merging(["SERVICE_SECRET": "dev+secret/100%"]) { $1 }
        #expect(try await program.run(words, environment: right).output.hasPrefix("The resource answered 200 with "))
        let wrong = variables.merging(["SERVICE_SECRET": "wrong"]) { $1 }
        let result = try await program.run(words, environment: wrong)
        #expect(result.output.hasPrefix("Failed: "))
        #expect(result.output.contains("fixConfiguration"))
        #expect(!result.output.contains("wrong"))
    }

    @Test("each says how it is used", arguments: ["browser-login", "device-login", "service"])
    func usage(name: String) async throws {
        #expect(try await Program.built(name).run([], environment: variables).output.hasPrefix("usage: "))
    }
}
