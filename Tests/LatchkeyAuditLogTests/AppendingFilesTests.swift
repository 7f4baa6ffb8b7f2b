import Latchkey
import LatchkeyTesting
import Testing

@Suite("Disks that can append")
struct AppendingFilesTests {
    enum Disk: String, CaseIterable { case real, simulated }

    /// Runs `body` with a disk and the path of a file that holds `hello`.
    private func with(_ disk: Disk, _ body: (any AppendingFiles, String) throws -> Void) async throws {
        switch disk {
        case .real:
            try await TemporaryFolder.with { folder in
                try SystemFiles().writeNew(folder["file"], Array("hello".utf8))
                try body(SystemFiles(), folder["file"])
            }
        case .simulated:
            let files = SimulatedFiles()
            try files.writeNew("/home/alice/file", Array("hello".utf8))
            try body(files, "/home/alice/file")
        }
    }

    private func content(_ files: any AppendingFiles, _ path: String) throws -> String {
        String(decoding: try files.read(path, limit: 1_000) ?? [], as: UTF8.self)
    }

    @Test("writes behind what is there, and cuts what is behind the place", arguments: Disk.allCases)
    func appends(disk: Disk) async throws {
        try await with(disk) { files, path in
            try files.append(path, at: 5, Array(", world".utf8)) { _ in }
            #expect(try content(files, path) == "hello, world")
            try files.append(path, at: 2, Array("y".utf8)) { _ in }
            #expect(try content(files, path) == "hey")
            try files.append(path, at: 0, []) { _ in }
            #expect(try content(files, path).isEmpty)
        }
    }

    @Test("a place beyond the end is refused, and nothing is changed", arguments: Disk.allCases)
    func beyond(disk: Disk) async throws {
        try await with(disk) { files, path in
            for offset in [6, -1] {
                #expect(throws: FileError.failed(22)) { try files.append(path, at: offset, [1]) { _ in } }
            }
            let left = try content(files, path)
            #expect(left == "hello")
        }
    }

    @Test("what the judge throws is thrown, and nothing is changed", arguments: Disk.allCases)
    func judged(disk: Disk) async throws {
        try await with(disk) { files, path in
            func judge(_ found: FileStatus) throws {
                if found.kind == .file, found.isOwn, found.mode == 0o600 { throw FileError.denied }
            }
            #expect(throws: FileError.denied) { try files.append(path, at: 0, [1], if: judge) }
            let left = try content(files, path)
            #expect(left == "hello")
        }
    }

    @Test("makes no file, and takes no directory or link for one", arguments: Disk.allCases)
    func others(disk: Disk) async throws {
        try await with(disk) { files, path in
            #expect(throws: FileError.missing) { try files.append("\(path)-2", at: 0, [1]) { _ in } }
            try files.makeDirectory("\(path)-3")
            #expect(throws: FileError.unexpectedKind) { try files.append("\(path)-3", at: 0, [1]) { _ in } }
        }
    }

    @Test("a simulated write that fails leaves the file as it was before it") func failed() throws {
        let disk = SimulatedDisk()
        let files = SimulatedFiles(on: disk)
        try files.writeNew("/home/alice/file", Array("hello".utf8))
        for step in 1...3 {
            disk.fail(atStep: disk.steps + step, with: .full)
            #expect(throws: FileError.full) { try files.append("/home/alice/file", at: 5, [1, 2, 3]) { _ in } }
            #expect(try disk.content("/home/alice/file") == Array("hello".utf8))
        }
    }

    @Test("a power loss keeps what was flushed before, however much of the rest it takes", arguments: 1...40)
    func power(seed: UInt64) throws {
        let disk = SimulatedDisk()
        let files = SimulatedFiles(on: disk)
        try files.writeNew("/home/alice/file", Array("hello".utf8))
        try files.syncDirectory("/home/alice")
        disk.crash(atStep: disk.steps + 3, losing: .some(seed: seed))
        #expect(throws: FileError.self) { try files.append("/home/alice/file", at: 5, Array(", world".utf8)) { _ in } }
        let left = String(decoding: try disk.content("/home/alice/file") ?? [], as: UTF8.self)
        #expect("hello, world".hasPrefix(left) && left.hasPrefix("hello"))
    }
}
