import CHeap

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What the process holds at one instant.
struct Figures {
    /// Resident memory, in bytes.
    var resident: Int
    /// What `malloc` has given out, in bytes; 0 where the C library does not say.
    var heap: Int
    var descriptors: Int
    var threads: Int

    static func now() -> Figures {
        Figures(
            resident: pages() * Int(getpagesize()), heap: heap_given(), descriptors: entries("/proc/self/fd") - 1,
            threads: entries("/proc/self/task"))
    }

    var words: String {
        "heap_KiB=\(heap / 1_024) rss_KiB=\(resident / 1_024) descriptors=\(descriptors) threads=\(threads)"
    }

    /// The second number of `statm`: resident pages (proc(5)).
    private static func pages() -> Int {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 200)
        let count = read(file, &bytes, bytes.count)
        let words = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: " ")
        return words.count > 1 ? Int(words[1]) ?? 0 : 0
    }

    private static func entries(_ directory: String) -> Int {
        guard let stream = opendir(directory) else { return 0 }
        defer { closedir(stream) }
        var count = 0
        while let entry = readdir(stream) {
            if entry.pointee.d_name.0 != 0x2E { count += 1 }
        }
        return count
    }
}
