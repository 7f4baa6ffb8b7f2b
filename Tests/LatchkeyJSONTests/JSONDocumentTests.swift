@testable import LatchkeyJSON
import Testing

@Suite("A document that is looked at in place")
struct JSONDocumentTests {
    private let text = #"""
        {"keys":[{"n":"a"},{"n":1},{"n":null},7,[[],[8]]],"t":true,"i":3,"d":1.5,"w":2.0,"huge":1e300,"o":{},
         "\u0065scaped":"\ud83d\ude00\n","é":"e\u0301"}
        """#

    private func root() throws -> JSONDocument.Field { try JSONDocument.parse(Array(text.utf8)).root }

    @Test("reads a member of the right type, however its name is written")
    func reads() throws {
        let root = try root()
        #expect(try root["keys"].array().count == 5)
        #expect(try root["keys"].array()[0]["n"].string() == "a")
        #expect(try root["t"].bool())
        #expect(try root["i"].integer() == 3 && root["w"].integer() == 2)
        #expect(try root["i"].number() == 3 && root["d"].number() == 1.5)
        #expect(try root["o"].members().isEmpty)
        #expect(try root["escaped"].string() == "😀\n")
        #expect(try root["e\u{301}"].string() == "é")
        #expect(try root["absent"].optional?.integer() == nil && root["absent"].json == JSON?.none)
        #expect(try !root["absent"].isPresent && !root["keys"].array()[2]["n"].isPresent && root["o"].isPresent)
        #expect(root["keys"].isArray && !root["o"].isArray && !root["absent"].isArray)
        #expect(try root.members().map(\.name) == ["keys", "t", "i", "d", "w", "huge", "o", "escaped", "é"])
        #expect(try root.json == JSON.parse(Array(text.utf8)))
    }

    @Test("keeps what it is not told of, as it is")
    func rest() throws {
        let known = ["keys", "t", "i", "d", "w", "huge", "escaped"]
        #expect(try root().members(except: known) == ["o": [:], "é": "é"])
        #expect(try root()["keys"].members(except: []).isEmpty)
        #expect(try root()["absent"].members(except: []).isEmpty)
    }

    @Test("says where, and whether a member is missing or of another type")
    func refuses() throws {
        let root = try root()
        let keys = try root["keys"].array()
        let rows =
            try fieldRefusals(root) + [
                (JSONError(.wrongType, at: "$.keys[4][1][0]"), { _ = try keys[4].array()[1].array()[0].string() }),
                (JSONError(.wrongType, at: "$.keys"), { _ = try root["keys"].members() }),
                (JSONError(.missing, at: "$.absent"), { _ = try root["absent"].members() }),
            ]
        for (error, read) in rows { #expect(throws: error) { try read() } }
    }

    @Test("shows nothing of its content")
    func hidesContent() throws {
        let root = try JSONDocument.parse(Array(#"{"a":"s3cr3t"}"#.utf8)).root
        var dumped = ""
        dump(root, to: &dumped)
        dump(root["a"].document, to: &dumped)
        #expect(!"\(root) \(root["a"]) \(String(reflecting: root)) \(dumped)".contains("s3cr3t"))
    }

    @Test("a name that stands twice is refused among few and many, plain and escaped", arguments: [2, 15, 16, 17, 60])
    func twice(count: Int) {
        for place in [0, count / 2, count - 1] {
            let names = (0..<count).map { "\"n\($0)\":\($0)" }
            for again in ["n\(place)", #"\u006e\#(place)"#] {
                let text = "{\((names + ["\"\(again)\":0"]).joined(separator: ","))}"
                let offset = text.utf8.count - 5 - again.utf8.count
                #expect(throws: JSONError(.duplicateMember, at: "$.n\(place)", offset: offset)) {
                    try JSONDocument.parse(Array(text.utf8))
                }
                let other = "{\((["\"x\(again)\":0"] + names).joined(separator: ","))}"
                #expect(throws: Never.self) { try JSONDocument.parse(Array(other.utf8)) }
            }
        }
    }
}

@Suite("A document that is only written")
struct JSONDraftTests {
    @Test("has the bytes of the value of the same content, in whatever order its members stand")
    func bytes() {
        let rows: [(JSONDraft, JSON)] = [
            (
                ["b": "x", "a": .integer(2), "B": .bool(true), "": .number(0.5)],
                ["b": "x", "a": 2, "B": true, "": 0.5]
            ),
            (.array([.value([1, ["c": nil]]), ["é": .array([])], .object([])]), [[1, ["c": nil]], ["é": []], [:]]),
            (["\u{10000}": "1", "\u{FFFF}": "\"\n"], ["\u{10000}": "1", "\u{FFFF}": "\"\n"]),
        ]
        for (draft, value) in rows { #expect(draft.serialized() == value.serialized()) }
    }

    @Test("has the bytes of what was read where it holds that, spaces and all")
    func source() throws {
        let text = #"{"o": { "b":1 , "a":[ ] } ,"e":{ },"n":[[],{"x":"\u0041"} ],"s":"t\/","i":7}"#
        let root = try JSONDocument.parse(Array(text.utf8)).root
        let rows = [
            ("o", #"{ "b":1 , "a":[ ] }"#), ("e", "{ }"), ("n", #"[[],{"x":"\u0041"} ]"#), ("s", #""t/""#), ("i", "7"),
        ]
        for (name, bytes) in rows {
            let draft = JSONDraft.object([(name: "m", value: .source(root[name]))])
            #expect(String(decoding: draft.serialized(), as: UTF8.self) == "{\"m\":\(bytes)}")
        }
        #expect(JSONDraft.source(root).serialized() == Array(text.utf8))
        #expect(JSONDraft.source(root["absent"]).serialized() == Array("null".utf8))
    }

    @Test("leaves out what has no value, and keeps of what it does not know all that it has not itself")
    func members() {
        let draft = JSONDraft.members(["b": "own", "a": nil], adding: ["b": "other", "a": "kept", "c": 1])
        #expect(draft.serialized() == (["a": "kept", "b": "own", "c": 1] as JSON).serialized())
    }
}
