public import Latchkey

/// A check for Linux: the tracer in `/proc/self/status`, `LD_PRELOAD` and `LD_AUDIT` in the environment,
/// and the libraries in `/proc/self/maps`.
///
/// It sees `ptrace` (gdb, strace) while it is attached, and libraries that were not hidden on purpose. On other
/// platforms all it finds is ``/Latchkey/IntegrityFinding/notChecked``.
public struct LinuxIntegrity: IntegrityChecking {
    /// Where the libraries of a system are.
    public static let systemFolders = ["/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "/usr/local/lib/"]

    private static let largest = 4 << 20
    private let environment: [String: String]
    private let trusted: [String]
    private let files: any FileAccess

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - environment: The environment that the process was started with.
    ///   - trusted: The folders, each with a slash at the end, that libraries of the system and the app are in. Add
    ///     that of the Swift runtime if it is elsewhere.
    ///   - context: The source of the disk.
    public init(
        environment: [String: String], trusted: [String] = systemFolders, context: PluginContext = .system
    ) {
        self.environment = environment
        self.trusted = trusted
        files = context.files
    }

    /// Returns what it finds. Reads two files of `/proc`.
    public func check() async -> [IntegrityFinding] {
        var found = preloaded
        do {
            let (status, maps) = (try read("/proc/self/status"), try read("/proc/self/maps"))
            guard let tracer = Self.tracer(in: status) else { return found + [.notChecked] }
            if tracer != "0" { found.insert(.debuggerAttached, at: 0) }
            for name in foreign(in: maps) { found.append(.foreignLibrary(name)) }
        } catch {
            found.append(.notChecked)
        }
        return found
    }

    private var preloaded: [IntegrityFinding] {
        let lists = [environment["LD_PRELOAD"], environment["LD_AUDIT"]].compactMap(\.self)
        let paths = lists.flatMap { $0.split { $0 == " " || $0 == ":" } }
        return Self.once(paths.map(Self.name)).map { .preloaded($0) }
    }

    /// Returns the names of the libraries with executable pages that are in no trusted folder, or were removed since.
    private func foreign(in maps: String) -> [String] {
        let paths = maps.split(separator: "\n").compactMap { line -> Substring? in
            // address, permissions, offset, device, inode, path
            let fields = line.split(separator: " ", maxSplits: 5)
            guard fields.count == 6, fields[1].contains("x") else { return nil }
            let path = fields[5].drop { $0 == " " }
            return Self.isLibrary(path) && !isTrusted(path) ? path : nil
        }
        return Self.once(paths.map(Self.name))
    }

    private func isTrusted(_ path: Substring) -> Bool {
        !path.hasSuffix(" (deleted)") && !path.contains("/../") && trusted.contains(where: path.hasPrefix)
    }

    private static func isLibrary(_ path: Substring) -> Bool {
        path.hasPrefix("/memfd:") || path.hasSuffix(".so") || path.contains(".so.") || path.hasSuffix(".so (deleted)")
    }

    private func read(_ path: String) throws -> String {
        guard let bytes = try files.read(path, limit: Self.largest) else { throw FileError.missing }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func tracer(in status: String) -> Substring? {
        let line = status.split(separator: "\n").first { $0.hasPrefix("TracerPid:") }
        return line?.split { $0 == ":" || $0 == "\t" || $0 == " " }.dropFirst().first
    }

    private static func name(_ path: Substring) -> String { String(path.split(separator: "/").last ?? path) }

    private static func once(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }
}
