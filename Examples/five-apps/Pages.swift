import Foundation
import Latchkey

/// What a person has written in an app, on the disk: one line each. The app's own data is not the SDK's business; it is here
/// so that there is something to show while the service cannot be reached.
struct Pages {
    private let path: String

    init(in folder: String) { path = "\(folder)/pages.txt" }

    func add(_ text: String, of account: AccountID) throws {
        try Data((lines + ["\(account.value)\t\(text)"]).joined(separator: "\n").utf8)
            .write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    func all(of account: AccountID) -> [String] {
        lines.compactMap { line in
            let parts = line.split(separator: "\t", maxSplits: 1)
            return parts.count == 2 && parts[0] == account.value ? String(parts[1]) : nil
        }
    }

    private var lines: [String] {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }
}
