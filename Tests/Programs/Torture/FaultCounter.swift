#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Counts the calls that were made to fail, in a file that every process has in its memory.
final class FaultCounter {
    /// In the order of the library's numbers.
    static let names = ["ENOSPC", "EIO", "EINTR", "short_write", "short_read"]
    private let path: String
    private let shim: String
    private let counts: UnsafeMutablePointer<Int64>
    private static let size = 4_096

    init(_ options: Options) {
        guard let shim = options.shim else { stop(2, "--shim is missing") }
        self.shim = shim
        path = "\(options.directory)/faults.count"
        let file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0, ftruncate(file, off_t(Self.size)) == 0,
            let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), memory != MAP_FAILED
        else { stop(1, "\(path) cannot be made") }
        close(file)
        counts = memory.bindMemory(to: Int64.self, capacity: Self.size / 8)
    }

    deinit { munmap(counts, Self.size) }

    var count: Int { (0..<Self.names.count).reduce(0) { $0 + Int(counts[$1]) } }

    var kinds: String {
        zip(Self.names, 0...).map { "\($0)=\(counts[$1])" }.joined(separator: " ")
    }

    /// What makes the calls of a process fail.
    func variables(under directory: String, seed: UInt64) -> [String] {
        ["LD_PRELOAD=\(shim)", "TORTURE_UNDER=\(directory)", "TORTURE_SEED=\(seed)", "TORTURE_COUNT=\(path)"]
    }
}
