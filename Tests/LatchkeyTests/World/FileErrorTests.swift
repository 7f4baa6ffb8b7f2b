import Testing

@testable import Latchkey

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite struct FileErrorTests {
    @Test(
        "what the system refuses with is told by its kind",
        arguments: [
            (ENOLCK, FileError.noLocks), (EOPNOTSUPP, .noLocks), (ENOSYS, .noLocks), (EROFS, .readOnly),
            (EACCES, .denied), (EPERM, .denied), (ENOSPC, .full), (EDQUOT, .full), (ENOENT, .missing),
            (ELOOP, .unexpectedKind), (EIO, .failed(EIO)),
        ])
    func kinds(number: Int32, kind: FileError) {
        errno = number
        #expect(FileError.last() == kind)
    }

    @Test("a lock on a file that was removed meanwhile is taken on the new one, and knows when it is out of place")
    func lockInPlace() throws {
        let files = SystemFiles()
        let path = "/tmp/latchkey-lock-\(PluginContext.system.randomName())"
        defer { try? files.remove(path) }
        let first = try #require(try files.lock(path, sharing: false))
        #expect(first.isInPlace)
        #expect(try files.lock(path, sharing: true) == nil)
        try files.remove(path)
        #expect(!first.isInPlace)
        let second = try #require(try files.lock(path, sharing: false))
        #expect(second.isInPlace && !first.isInPlace)
        second.release()
        #expect(!second.isInPlace)
    }
}
