import LatchkeyJSON
import Testing

@testable import Latchkey

/// Questions as they are stored, for another process to put.
@Suite struct AskRecordTests {
    private static let asks: [Ask] = [
        .code(over: .whatsapp, sentTo: "+1***"), .openedLink(sentTo: nil), .totp, .backupCode, .password,
        .enrolment(.init(key: "JBSWY3DPEHPK3PXP", address: "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP")),
        .newPassword(rules: ["8 or more"]), .choose([.init(id: "a", label: "A")]),
        .fields([
            .init(name: "name"), .init(name: "pin", secret: true, required: false),
            .newPassword("password", rules: ["8 or more", "a digit"]), .newPassword("other"),
        ]),
        .visit(url: "https://id.example.com/a", redirect: "app://cb"),
        .device(.init(userCode: "ABCD", at: "https://id.example.com/d", interval: .seconds(7))),
        .captcha(siteKey: "k"), .passkey(request: ["a": 1]), .wallet(message: "m"),
    ]

    @Test("Every question comes back from its record as it was", arguments: asks)
    func whole(_ ask: Ask) throws {
        let document = try JSONDocument.parse(ask.record().serialized())
        #expect(try Ask(record: document.root) == ask)
    }

    @Test("Fields that an older version stored have no rules")
    func older() throws {
        let stored = "{\"is\":\"fields\",\"fields\":[{\"name\":\"a\",\"secret\":false,\"required\":true}]}"
        let document = try JSONDocument.parse(Array(stored.utf8))
        #expect(try Ask(record: document.root) == .fields([.init(name: "a")]))
    }

    @Test("Neither the key of an enrolment nor its address prints")
    func redacted() {
        let enrolment = Ask.Enrolment(key: "JBSWY3DPEHPK3PXP", address: "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP")
        var dumped = ""
        dump(Ask.enrolment(enrolment), to: &dumped)
        dump(enrolment, to: &dumped)
        for text in ["\(Ask.enrolment(enrolment))", "\(enrolment)", String(reflecting: enrolment), dumped] {
            #expect(!text.contains("JBSWY3DPEHPK3PXP"))
        }
    }
}
