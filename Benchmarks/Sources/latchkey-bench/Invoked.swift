import CBench
import FoundationEssentials
import Glibc

/// A program with its arguments, and with no other environment than this.
struct Invoked {
    var words: [String]
    var variables: [String]

    init(words: [String], variables: [String]) { (self.words, self.variables) = (words, variables) }

    /// Reads what `peers.py` wrote: a line for each word and each variable. `nil` if it names no program.
    init?(file: String) {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return nil }
        let lines = text.split(separator: "\n")
        func all(_ kind: String) -> [String] {
            lines.filter { $0.hasPrefix(kind + " ") }.map { String($0.dropFirst(kind.count + 1)) }
        }
        self.init(words: all("word"), variables: all("variable"))
        if words.isEmpty { return nil }
    }

    /// Runs it to its end.
    func run() throws {
        var arguments = words.map { strdup($0) } + [nil]
        var environment = variables.map { strdup($0) } + [nil]
        defer { for text in arguments + environment { free(text) } }
        guard cb_run(words[0], &arguments, &environment) == 0 else {
            throw BenchError.failed("\(words.joined(separator: " ")) fails")
        }
    }
}
