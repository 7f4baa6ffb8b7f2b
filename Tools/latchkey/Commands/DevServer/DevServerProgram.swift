import FoundationEssentials

/// The program of the development server, which is not part of this one: it emulates whole services, and whoever only signs
/// in has no use for it.
enum DevServerProgram {
    private static let name = "latchkey-dev-server"

    /// Runs the program that lies beside this one in place of it. Returns only if that fails.
    static func replace(with words: [String]) -> ToolError {
        let folder = ProcessArguments.folder ?? "."
        let path = "\(folder)/\(name)"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            return ToolError(
                .notFound, code: "exec", recovery: "correctCommand", "error.devServerMissing", ["program": path],
                hint: ToolText("hint.devServer"))
        }
        return ProgramReplacement.replace(with: [path] + words, setting: [:])
    }
}
