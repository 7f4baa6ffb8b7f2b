import FoundationEssentials
import LatchkeyCrypto
import LatchkeyJSON

/// The documents in the folder `Vectors`.
enum Vectors {
    static func read(_ name: String, file: String = #filePath) throws -> JSON {
        let folder = file.split(separator: "/").dropLast().joined(separator: "/")
        return try JSON.parse(Array(Data(contentsOf: URL(fileURLWithPath: "/\(folder)/Vectors/\(name).json"))))
    }

    static func list(_ name: String, _ member: String = "vectors") throws -> [JSON] {
        try JSONField(read(name))[member].array().compactMap(\.value)
    }
}

extension JSON {
    func text(_ name: String) throws -> String { try JSONField(self)[name].string() }

    func bytes(hex name: String) throws -> [UInt8] { try text(name).hexBytes() }

    func integer(_ name: String) throws -> Int { Int(try JSONField(self)[name].integer()) }
}

struct NotHex: Error {}

extension String {
    func hexBytes() throws -> [UInt8] {
        let digits = Array(utf8)
        guard digits.count % 2 == 0 else { throw NotHex() }
        return try stride(from: 0, to: digits.count, by: 2).map { index in
            guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) else {
                throw NotHex()
            }
            return byte
        }
    }
}

/// The code of the error that `body` throws; `nil` when it throws none.
func code<Value>(_ body: () throws(CryptoError) -> Value) -> CryptoError.Code? {
    do throws(CryptoError) {
        _ = try body()
        return nil
    } catch {
        return error.code
    }
}
