import FoundationEssentials
import Latchkey
import LatchkeyJSON

/// The vectors beside this file.
enum Vectors {
    static func read(_ name: String) throws -> JSONField {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let bytes = try Data(contentsOf: folder.appending(path: "Vectors/\(name)"))
        return JSONField(try JSON.parse(Array(bytes)))["vectors"]
    }
}

/// Stands for "now" in tables.
let noon = Date(timeIntervalSince1970: 1_795_176_000)

/// The error that `work` throws.
func failure<Failure: Error>(of work: () throws(Failure) -> Void) -> Failure? {
    do throws(Failure) {
        try work()
        return nil
    } catch {
        return error
    }
}

extension TransportResponse {
    init(_ status: Int, _ body: String = "", _ fields: HeaderFields = [:]) {
        self.init(status: status, fields: fields, body: Array(body.utf8))
    }
}

/// One row of a table of refusals.
struct Row<Input: Sendable, Output: Sendable>: Sendable, CustomStringConvertible {
    var name: String
    var input: Input
    var expected: Output

    init(_ name: String, _ input: Input, _ expected: Output) {
        self.name = name
        self.input = input
        self.expected = expected
    }

    var description: String { name }
}
