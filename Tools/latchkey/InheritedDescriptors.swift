import CProcess
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The descriptors that this program was started with, in addition to the standard ones, as by a shell's `3<file`.
///
/// Programs that `exec` starts inherit these and no others. What is opened here is close-on-exec already, but
/// libraries open some that are not.
enum InheritedDescriptors {
    private static let noted = Locked<[Int32]?>(nil)

    /// The numbers, in rising order; `nil` if they were not noted.
    static var passed: [Int32]? { noted.withLock { $0 } }

    /// Notes the descriptors. Call it before anything is opened.
    static func note() {
        let found = list().filter { $0 > 2 && fcntl($0, F_GETFD) & FD_CLOEXEC == 0 }.sorted()
        noted.withLock { $0 = found }
    }

    /// Makes every other descriptor close-on-exec.
    static func closeOthersAtExec() {
        guard let passed else { return }
        latchkey_close_at_exec(passed, Int32(passed.count))
    }

    private static func list() -> [Int32] {
        #if os(Linux)
            let directory = opendir("/proc/self/fd")
        #else
            let directory = opendir("/dev/fd")
        #endif
        guard let directory else { return (3..<1_024).filter { fcntl($0, F_GETFD) >= 0 } }
        // The directory's own descriptor is close-on-exec, so it is none of those.
        defer { closedir(directory) }
        var numbers: [Int32] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
                    String(cString: $0)
                }
            }
            if let number = Int32(name) { numbers.append(number) }
        }
        return numbers
    }
}
