import FoundationEssentials
import Latchkey
import Testing

@Suite("Pins from JSON")
struct PinnedHostsJSONTests {
    private static let whole = """
        {"hosts": [{"host": "id.example.com", "coversSubdomains": true, "mode": "reportOnly",
        "pins": ["d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM="],
        "backups": ["E9CZ9INDbd+2eRQozYqqbQ2yXLVKB9+xcprMF+44U1g="], "expiry": "2033-05-18T03:33:20Z"}]}
        """

    @Test("A document is read whole")
    func whole() throws {
        let pins = try #require(try PinnedHosts(json: Array(Self.whole.utf8)).hosts.first)
        #expect(pins.host == "id.example.com" && pins.coversSubdomains && pins.mode == .reportOnly)
        #expect(pins.pins.map(\.base64) == ["d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM="])
        #expect(pins.backups.count == 1 && pins.expiry == Date(timeIntervalSince1970: 2_000_000_000))
    }

    @Test("Without a mode pins are enforced, and without a word of subdomains they count for the host alone")
    func defaults() throws {
        let text = Self.whole.replacing("\"coversSubdomains\": true, \"mode\": \"reportOnly\",", with: "")
        let pins = try #require(try PinnedHosts(json: Array(text.utf8)).hosts.first)
        #expect(pins.mode == .enforce && !pins.coversSubdomains)
    }

    @Test(
        "Anything else is refused, and the error names the place",
        arguments: [
            ("\"reportOnly\"", "\"off\"", "$.hosts[0].mode"), ("\"mode\"", "\"modus\"", "\"modus\""),
            ("\"coversSubdomains\"", "\"includeSubdomains\"", "\"includeSubdomains\""),
            ("true", "\"yes\"", "$.hosts[0].coversSubdomains"), ("20Z", "20", "$.hosts[0].expiry"),
            ("20Z", "20+02:00", "$.hosts[0].expiry"), ("2033-05-18T03:33:20Z", "never", "$.hosts[0].expiry"),
            ("id.example.com", "*.example.com", "$.hosts[0]"), ("d6qz", "zz", "$.hosts[0].pins[0]"),
            ("\"d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM=\"", "7", "$.hosts[0].pins[0]"),
            ("[\"E9CZ9INDbd+2eRQozYqqbQ2yXLVKB9+xcprMF+44U1g=\"]", "[]", "backup"),
            ("\"hosts\"", "\"host\"", "\"host\""), ("{\"hosts\"", "{\"other\": 1, \"hosts\"", "\"other\""),
            ("]}", "]", "JSON"), ("\"backups\"", "\"pins\"", "twice"),
        ])
    func refused(old: String, new: String, place: String) {
        let text = Self.whole.replacing(old, with: new)
        #expect(text != Self.whole)
        let error = #expect(throws: AuthError.self) { try PinnedHosts(json: Array(text.utf8)) }
        #expect(error?.code == .configuration(.invalid))
        #expect(error?.message.contains(place) == true, "\(error?.message ?? "")")
    }
}
