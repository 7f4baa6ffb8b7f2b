@testable import LatchkeyJSON

/// What both kinds of field have in common, so that they are held to the same refusals.
protocol ReadableField {
    subscript(name: String) -> Self { get }
    var optional: Self? { get }
    func string() throws(JSONError) -> String
    func integer() throws(JSONError) -> Int64
    func number() throws(JSONError) -> Double
    func bool() throws(JSONError) -> Bool
    func array() throws(JSONError) -> [Self]
}

extension JSONField: ReadableField {}
extension JSONDocument.Field: ReadableField {}

/// Readings that fail, and how, of a document whose root holds
/// `{"keys":[{"n":"a"},{"n":1},{"n":null},7],"t":true,"i":3,"d":1.5,"huge":1e300,"o":{}}` and maybe more.
func fieldRefusals(_ root: some ReadableField) throws -> [(error: JSONError, read: () throws -> Void)] {
    let keys = try root["keys"].array()
    return [
        (JSONError(.wrongType, at: "$.keys[1].n"), { _ = try keys[1]["n"].string() }),
        (JSONError(.missing, at: "$.keys[2].n"), { _ = try keys[2]["n"].string() }),
        (JSONError(.missing, at: "$.keys[0].e"), { _ = try keys[0]["e"].string() }),
        (JSONError(.missing, at: "$.keys[3].n"), { _ = try keys[3]["n"].string() }),
        (JSONError(.missing, at: "$.a.b"), { _ = try root["a"]["b"].array() }),
        (JSONError(.wrongType, at: "$.o"), { _ = try root["o"].array() }),
        (JSONError(.wrongType, at: "$.d"), { _ = try root["d"].integer() }),
        (JSONError(.wrongType, at: "$.huge"), { _ = try root["huge"].integer() }),
        (JSONError(.wrongType, at: "$.i"), { _ = try root["i"].bool() }),
        (JSONError(.wrongType, at: "$.t"), { _ = try root["t"].number() }),
        (JSONError(.wrongType, at: "$.t"), { _ = try root["t"].optional?.string() }),
    ]
}
