import FoundationEssentials
import Latchkey
import LatchkeyTesting
import Testing

@testable import LatchkeyLoopback

@Suite("The page that hands a browser an address")
struct VisitPageTests {
    private static let url = "https://id.example/authorize?a=1&b='\"<x>;url=x&state=s3cr3t"

    private static func page(
        _ environment: [String: String], url: String = VisitPageTests.url
    ) throws(AuthError) -> VisitPage {
        try VisitPage(to: url, environment: environment, context: .system, browser: Browser(environment: [:]))
    }

    private func withFolder(mode: UInt16, _ body: (String) throws -> Void) throws {
        let folder = "/tmp/latchkey-test-\(PluginContext.system.randomName())"
        try SystemFiles().makeDirectory(folder)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test("only this user can read it, its address says nothing, and it moves on without a script or referrer")
    func content() throws {
        try withFolder(mode: 0o700) { folder in
            let page = try Self.page(["XDG_RUNTIME_DIR": folder, "TMPDIR": "/nowhere"])
            let file = String(page.address.trimmingPrefix("file://"))
            #expect(page.address.hasPrefix("file://\(folder)/latchkey-") && !page.address.contains("s3cr3t"))
            let status = try #require(try SystemFiles().status(file))
            #expect(status.kind == .file && status.mode == 0o600 && status.isOwn)
            let directory = String(file.prefix(upTo: file.lastIndex(of: "/") ?? file.endIndex))
            #expect(try SystemFiles().status(directory)?.mode == 0o700)
            let text = String(decoding: try SystemFiles().read(file, limit: 1 << 16) ?? [], as: UTF8.self)
            let escaped = "https://id.example/authorize?a=1&#38;b=&#39;&#34;&#60;x&#62;;url=x&#38;state=s3cr3t"
            #expect(text.contains("<meta http-equiv=\"refresh\" content=\"0;url=\(escaped)\">"))
            #expect(text.contains("<a rel=\"noreferrer\" href=\"\(escaped)\">"))
            #expect(text.contains("name=\"referrer\" content=\"no-referrer\"") && !text.contains("<script"))
            page.remove()
            page.remove()
            #expect(try SystemFiles().status(directory) == nil)
        }
    }

    @Test("it goes with the last reference")
    func released() throws {
        try withFolder(mode: 0o700) { folder in
            var page: VisitPage? = try Self.page(["TMPDIR": folder])
            #expect(page?.address.hasPrefix("file://\(folder)/") == true)
            #expect(try SystemFiles().list(folder).count == 1)
            page = nil
            #expect(try SystemFiles().list(folder).isEmpty)
        }
    }

    @Test("a shared directory will do if it is sticky", arguments: [UInt16(0o1777), 0o755])
    func sticky(mode: UInt16) throws {
        try withFolder(mode: mode) { folder in
            let page = try Self.page(["TMPDIR": folder])
            #expect(page.address.hasPrefix("file://\(folder)/latchkey-"))
        }
    }

    @Test(
        "a directory in which others can replace it is refused, and nothing is left there",
        arguments: [UInt16(0o777), 0o772, 0o722])
    func shared(mode: UInt16) throws {
        try withFolder(mode: mode) { folder in
            let error = try #require(throws: AuthError.self) { _ = try Self.page(["TMPDIR": folder]) }
            #expect(error.code == .store(.insecurePermissions))
            #expect(try SystemFiles().list(folder).isEmpty)
        }
    }

    @Test(
        "what is no web address is not written",
        arguments: [
            "file:///etc/passwd", "javascript:alert(1)", "--help", "https://id.example/\u{1B}", "", "https://a b",
        ])
    func notWeb(url: String) throws {
        try withFolder(mode: 0o700) { folder in
            let error = try #require(throws: AuthError.self) { _ = try Self.page(["TMPDIR": folder], url: url) }
            #expect(error.code == .configuration(.invalid))
            #expect(try SystemFiles().list(folder).isEmpty)
        }
    }
}
