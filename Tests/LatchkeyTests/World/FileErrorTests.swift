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
            (ENOLCK, FileError.noLocks), (EOPNOTSUPP, .failed(EOPNOTSUPP)), (ENOSYS, .failed(ENOSYS)),
            (EROFS, .readOnly),
            (EACCES, .denied), (EPERM, .denied), (ENOSPC, .full), (EDQUOT, .full), (ENOENT, .missing),
            (ELOOP, .unexpectedKind), (EIO, .failed(EIO)),
        ])
    func kinds(number: Int32, kind: FileError) {
        errno = number
        #expect(FileError.last() == kind)
    }

    @Test("what a call that locks does not support is locking, and nothing else is taken for that")
    func locks() {
        for number in [ENOLCK, ENOTSUP, EOPNOTSUPP, ENOSYS] {
            errno = number
            #expect(FileError.lastOfLock() == .noLocks)
        }
        errno = EACCES
        #expect(FileError.lastOfLock() == .denied)
    }

    @Test("another time namespace is another clock, and one without an offset is the machine's")
    func timeNamespace() {
        let machine = "monotonic           0         0\nboottime            0         0\n"
        #expect(SystemClock.timeNamespace(machine) == "" && SystemClock.timeNamespace("") == "")
        let other = "monotonic           0         0\nboottime        86400        25\n"
        #expect(SystemClock.timeNamespace(other) == "+86400.25")
        #expect(SystemClock.timeNamespace("7 -5 999999999\n") == "+-5.999999999")
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
