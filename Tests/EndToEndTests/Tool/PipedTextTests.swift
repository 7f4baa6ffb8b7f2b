import Foundation
import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("What editors and other shells write for a line") struct PipedTextTests {
    private let server: DevServer
    private let tool: Tool

    init() throws {
        (tool, server) = (try Tool(), try Service.start())
        server.configure { $0.autoApprove = true }
    }

    /// Runs a command with these bytes as standard input.
    private func run(_ words: [String], _ bytes: [UInt8]) async throws -> Program.Result {
        let path = "\(tool.folder.path)/input"
        try Data(bytes).write(to: URL(filePath: path))
        let line = ([tool.path] + words).map { "'\($0)'" }.joined(separator: " ") + " < '\(path)'"
        return try await Program("/bin/sh").start(["-c", line], environment: tool.variables()).wait()
    }

    private func password(_ bytes: [UInt8]) async throws -> Program.Result {
        let words = ["login", "--supabase", server.supabaseURL, "--key", Project.key, "--account", Project.ada]
        return try await run(words + ["--password-from-stdin"], bytes)
    }

    private func secret(_ bytes: [UInt8]) async throws -> Program.Result {
        let path = "\(tool.folder.path)/secret"
        try Data(bytes).write(to: URL(filePath: path))
        chmod(path, 0o600)
        let words =
            ["login", "--issuer", server.issuer, "--client-id", "dev-service", "--client-credentials"]
            + ["--profile", "program"]
        return try await run(words + ["--client-secret-file", path], [])
    }

    private func utf16(_ text: String, mark: [UInt8], isLittle: Bool) -> [UInt8] {
        mark
            + text.utf16.flatMap { unit in
                isLittle
                    ? [UInt8(unit & 0xFF), UInt8(unit >> 8)] : [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            }
    }

    @Test("a mark of UTF-8 and a Windows end of line are no part of a password or a client's secret")
    func marks() async throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        for end in ["", "\n", "\r\n"] {
            let password = try await password(mark + Array((Project.password + end).utf8))
            #expect(password.status == 0, "\(password.errors)")
            let secret = try await secret(mark + Array(("dev+secret/100%" + end).utf8))
            #expect(secret.status == 0 && !secret.errors.contains("line"), "\(secret.errors)")
        }
    }

    @Test("UTF-16, a zero byte and bytes of no encoding are told as what they are, and nothing is sent")
    func encodings() async throws {
        let broken: [[UInt8]] = [
            utf16("ada-password\r\n", mark: [0xFF, 0xFE], isLittle: true),
            utf16("ada-password\r\n", mark: [0xFE, 0xFF], isLittle: false),
            utf16("ada-password\n", mark: [], isLittle: true), Array("ada-pass\0word\n".utf8), [0xE9, 0x0A],
        ]
        let before = server.log().count
        for bytes in broken {
            let password = try await password(bytes)
            #expect(
                password.status == 2 && password.errors.contains("no text in UTF-8"), "\(bytes): \(password.errors)")
            let secret = try await secret(bytes)
            #expect(secret.status == 8 && secret.errors.contains("no text in UTF-8"), "\(bytes): \(secret.errors)")
            #expect((password.errors + secret.errors).contains("hint: Write it as UTF-8"))
        }
        #expect(server.log().count == before)
    }

    @Test("a file with more than one line gives its first as the client's secret, and says so")
    func lines() async throws {
        let two = try await secret(Array("dev+secret/100%\nolder\n".utf8))
        #expect(two.status == 0 && two.errors.contains("has more than one line"), "\(two.errors)")
        let blank = try await secret(Array("dev+secret/100%\n\r\n \n".utf8))
        #expect(blank.status == 0 && !blank.errors.contains("more than one line"), "\(blank.errors)")
    }

    @Test("an address that was cut where it was copied is refused, the sign-in waits, and the whole one ends it")
    func cutAddress() async throws {
        let begun = try await run(
            ["login", "--issuer", server.issuer, "--client-id", "dev-native", "--detach", "--json"], [])
        let id = try #require(begun.json?["challenge"]?.string)
        let url = try #require(begun.json?["url"]?.string)
        let arrived = try await Browser().destination(of: url)
        let words = ["answer", id, "--redirect-from-stdin"]
        let state = try #require(arrived.range(of: "state="))
        for (end, sentence) in [
            (arrived.index(state.upperBound, offsetBy: 5), "only the beginning of the address"),
            (state.lowerBound, "only the beginning of the address"),
            (try #require(arrived.firstIndex(of: "?")), "only the beginning of the address"),
        ] {
            let cut = try await run(words, Array("\(arrived[..<end])\n".utf8))
            #expect(cut.status == 6 && cut.errors.contains(sentence), "\(cut.errors)")
            #expect(cut.errors.contains("hint: The sign-in still waits"))
        }
        let other = try await run(words, Array("https://id.example/callback?code=x&state=y\n".utf8))
        #expect(other.status == 6 && other.errors.contains("another page"), "\(other.errors)")
        let whole = try await run(words, Array("\(arrived)\n".utf8))
        #expect(whole.status == 0, "\(whole.errors)")
    }
}
