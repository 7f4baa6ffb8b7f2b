import FoundationEssentials

/// The files of this repository, by their paths in it.
enum Repository {
    /// Where it is.
    static let root: String = {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        return parts.dropLast(3).joined(separator: "/")
    }()

    static func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: "\(root)/\(path)")), as: UTF8.self)
    }

    static func exists(_ path: some StringProtocol) -> Bool {
        FileManager.default.fileExists(atPath: "\(root)/\(path)")
    }

    /// The texts of all Swift files below a folder.
    static func swiftFiles(under folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(folder)")
            .filter { $0.hasSuffix(".swift") && !$0.contains(".build") }
            .map { try text("\(folder)/\($0)") }
    }
}
