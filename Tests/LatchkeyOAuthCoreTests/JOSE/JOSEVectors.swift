import FoundationEssentials
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyOAuthCore

/// The published and hostile tokens in the folder `Vectors`.
enum JOSEVectors {
    static func read(_ name: String, file: String = #filePath) throws -> JSON {
        let folder = file.split(separator: "/").dropLast(2).joined(separator: "/")
        return try JSON.parse(Array(Data(contentsOf: URL(fileURLWithPath: "/\(folder)/Vectors/\(name).json"))))
    }

    static func list(_ name: String) throws -> [JSON] {
        try JSONField(read(name))["vectors"].array().compactMap(\.value)
    }
}

extension JSON {
    func text(_ name: String) throws -> String { try JSONField(self)[name].string() }

    func member(_ name: String) throws -> JSON { .object(try JSONField(self)[name].object()) }
}

/// The code of the error that `body` throws; `nil` when it throws none.
func refusal<Value>(_ body: () throws(JOSEError) -> Value) -> JOSEError.Code? {
    do throws(JOSEError) {
        _ = try body()
        return nil
    } catch {
        return error.code
    }
}

extension JSONWebKeySet {
    /// The set a server would publish with `keys` in it.
    init(publishing keys: JSON...) throws(JOSEError) {
        try self.init(parsing: .object(["keys": .array(keys)]))
    }
}
