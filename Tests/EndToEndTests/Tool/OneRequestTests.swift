import Glibc
import Latchkey
import LatchkeyDevServer
import Testing

/// How often the tool asks the service for its documents.
@Suite("One request") struct OneRequestTests {
    @Test("a refresh by a new process is one request, whatever came before it")
    func one() async throws {
        let scene = try await SignedIn()
        defer { scene.server.stop() }
        for _ in 0..<3 {
            let asked = try await scene.asked {
                let result = try await scene.run("refresh")
                #expect(result.status == 0, "\(result.errors)")
            }
            #expect(asked == ["token"])
        }
        // What is kept is as private as the session, and holds nothing of it.
        let path = try #require(scene.documentFiles.first)
        #expect(scene.documentFiles.count == 1)
        #expect(try SystemFiles().status(path)?.mode == 0o600)
        let token = try await scene.run("token").line
        #expect(!FilesBelow.content(path).contains(token))
    }

    @Test("whoami and logout ask for no document either")
    func others() async throws {
        let scene = try await SignedIn()
        defer { scene.server.stop() }
        for command in ["whoami", "logout"] {
            let asked = try await scene.asked {
                let result = try await scene.run(command)
                #expect(result.status == 0, "\(result.errors)")
            }
            #expect(!asked.contains("discovery") && !asked.contains("keys"), "\(command): \(asked)")
        }
    }

    @Test("doctor and login ask the service itself")
    func anew() async throws {
        let scene = try await SignedIn()
        defer { scene.server.stop() }
        let checked = try await scene.asked { _ = try await scene.run("doctor") }
        #expect(checked.contains("discovery"))
        let asked = try await scene.asked {
            let result = try await SignedIn.login(scene.tool, scene.server)
            #expect(result.status == 0, "\(result.errors)")
        }
        #expect(asked.contains("discovery") && asked.contains("keys"))
    }

    /// What became of the file.
    enum Spoilt: String, CaseIterable, Sendable {
        case gone, empty, truncated, garbled, readableByOthers, link

        func apply(to path: String) throws {
            let files = SystemFiles()
            let bytes = try files.read(path, limit: 1 << 20) ?? []
            switch self {
            case .readableByOthers: return try files.setMode(path, 0o644)
            case .link:
                try files.rename(path, to: path + ".elsewhere")
                #expect(symlink(path + ".elsewhere", path) == 0)
                return
            default: try files.remove(path)
            }
            switch self {
            case .empty: try files.writeNew(path, [])
            case .truncated: try files.writeNew(path, Array(bytes.prefix(bytes.count / 2)))
            case .garbled: try files.writeNew(path, bytes.map { $0 == UInt8(ascii: "t") ? UInt8(ascii: "x") : $0 })
            default: break
            }
        }
    }

    @Test("a file that is not as it was written is not used, and the session goes on", arguments: Spoilt.allCases)
    func spoilt(_ spoilt: Spoilt) async throws {
        let scene = try await SignedIn()
        defer { scene.server.stop() }
        try spoilt.apply(to: try #require(scene.documentFiles.first))
        let asked = try await scene.asked {
            let result = try await scene.run("refresh")
            #expect(result.status == 0, "\(result.errors)")
        }
        #expect(asked == ["discovery", "token", "keys"])
    }

    @Test("each profile has documents of its own")
    func otherProfile() async throws {
        let scene = try await SignedIn()
        defer { scene.server.stop() }
        // A profile of its own has documents of its own.
        let other = try await SignedIn.login(scene.tool, scene.server, ["--profile", "other"])
        #expect(other.status == 0, "\(other.errors)")
        #expect(scene.documentFiles.count == 2)
        let asked = try await scene.asked {
            let result = try await scene.run("refresh", "--profile", "other")
            #expect(result.status == 0, "\(result.errors)")
        }
        #expect(asked == ["token"])
    }
}
