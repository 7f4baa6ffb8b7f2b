import LatchkeyJSON
import Testing

@Suite("A value")
struct JSONValueTests {
    @Test("never prints what it holds")
    func hidesContent() {
        let values: [JSON] = [
            "s3cr3t", ["s3cr3t"], ["s3cr3t": "s3cr3t"], ["a": ["b": ["s3cr3t"]]], .array([.object(["s3cr3t": 1])]),
        ]
        for value in values {
            let optional: JSON? = value
            let holder = Holder(value: value, field: JSONField(value))
            var printed = "\(value) \(value.description) \(value.debugDescription) \(String(reflecting: value))"
            printed += "\([value]) \(String(describing: optional)) \(String(reflecting: optional)) \(["k": value])"
            printed += "\(holder) \(String(reflecting: holder)) \(JSONField(value))"
            dump(value, to: &printed)
            dump(holder, to: &printed)
            dump([value], to: &printed)
            #expect(!printed.contains("s3cr3t"))
            #expect(printed.contains("JSON "))
            #expect(Mirror(reflecting: value).children.isEmpty)
        }
        var number = "\(JSON.integer(4711)) \(JSON.number(47.11))"
        dump(JSON.integer(4711), to: &number)
        #expect(!number.contains("47"))
    }

    @Test("tells an absent member from null")
    func absence() {
        let value: JSON = ["a": nil, "b": 1]
        #expect(value["a"] == JSON.null)
        #expect(value["a"] != nil)
        #expect(value["c"] == nil)
        #expect(value["a"]?["x"] == nil)
        #expect(JSON.array([])["a"] == nil)
    }

    @Test("is another type than asked for: nil")
    func accessors() {
        let value: JSON = "1"
        #expect(value.integer == nil && value.number == nil && value.bool == nil)
        #expect(value.array == nil && value.object == nil && value.string == "1")
        #expect(JSON.number(1.5).integer == nil && JSON.number(0x1p63).integer == nil)
        #expect(JSON.number(-0x1p63).integer == .min && JSON.number(.nan).integer == nil)
        #expect(JSON.number(.infinity).integer == nil && JSON.number(-0x1.0000000000001p63).integer == nil)
        #expect(JSON.number(2).integer == 2 && JSON.integer(2).number == 2 && JSON.integer(1).bool == nil)
        #expect(JSON.null.string == nil && JSON.integer(1) != JSON.number(1))
    }

    private struct Holder {
        let value: JSON
        let field: JSONField
    }
}
