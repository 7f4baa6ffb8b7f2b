import FoundationEssentials
import Latchkey
import LatchkeyTesting
import Testing

@Suite struct TemporaryFolderTests {
    private struct Failed: Error {}

    private static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test("It is this user's alone, and a store takes it")
    func own() async throws {
        try await TemporaryFolder.with { folder in
            let place = try #require(try TrustedDirectory.open(folder.path, .own, in: SystemFiles()))
            #expect(place.path == folder.path)
            #expect(folder["a"] == folder.path + "/a")
            try await TemporaryFolder.with { #expect($0.path != folder.path) }
        }
    }

    @Test("It goes with all that is in it, however locked, but not what a link leads to")
    func removed() async throws {
        try await TemporaryFolder.with { outside in
            try Data("kept".utf8).write(to: URL(filePath: outside["kept"]))
            let path = try await TemporaryFolder.with(in: outside.path) { folder in
                let files = FileManager.default
                try files.createDirectory(atPath: folder["a/b"], withIntermediateDirectories: true)
                try Data("x".utf8).write(to: URL(filePath: folder["a/b/c"]))
                try files.createSymbolicLink(atPath: folder["link"], withDestinationPath: outside.path)
                try files.createSymbolicLink(atPath: folder["a/kept"], withDestinationPath: outside["kept"])
                try files.setAttributes([.posixPermissions: 0], ofItemAtPath: folder["a"])
                return folder.path
            }
            #expect(path.hasPrefix(outside.path + "/"))
            #expect(!Self.exists(path))
            #expect(Self.exists(outside["kept"]))
        }
    }

    @Test("It goes also after an error, which comes out")
    func afterError() async throws {
        var path = ""
        await #expect(throws: Failed.self) {
            try await TemporaryFolder.with { folder in
                path = folder.path
                throw Failed()
            }
        }
        #expect(!path.isEmpty && !Self.exists(path))
    }

    @Test("Where there is no place for it, the work does not begin")
    func noPlace() async throws {
        try await TemporaryFolder.with { folder in
            try Data().write(to: URL(filePath: folder["file"]))
            for parent in [folder["absent"], folder["file"], ""] {
                await #expect(throws: FileError.self) {
                    try await TemporaryFolder.with(in: parent) { _ in Issue.record("it began") }
                }
            }
        }
    }
}
