import Latchkey
import Testing

@testable import LatchkeySecretService

@Suite("secret service, absent") struct SecretServiceOffTests {
    private func expectMissing(_ keyring: SecretServiceKeyring, _ words: String) async throws {
        guard case .missing(let reason) = await keyring.availability() else {
            Issue.record("it is available")
            return
        }
        #expect(reason.contains(words))
        let error = await #expect(throws: AuthError.self) { _ = try await SecretServiceKeyHolder(keyring).key("a") }
        #expect(error?.code == .store(.unavailable))
        #expect(error?.message == reason)
    }

    #if SecretService
        @Test(
            "says at once where there is no bus",
            arguments: ["unix:path=/nowhere/bus", "nonsense", "unix:path=/dev/null"])
        func noBus(address: String) async throws {
            try await expectMissing(SecretServiceKeyring(application: "test", busAddress: address), "no session bus")
        }
    #else
        @Test("says that the program was built without it") func notBuiltIn() async throws {
            try await expectMissing(SecretServiceKeyring(application: "test"), "built without the SecretService trait")
        }
    #endif

    @Test("finds the session's bus, and never starts one")
    func bus() {
        #expect(SecretServiceKeyring.sessionBus([:]) == nil)
        #expect(SecretServiceKeyring.sessionBus(["DBUS_SESSION_BUS_ADDRESS": "autolaunch:"]) == nil)
        #expect(SecretServiceKeyring.sessionBus(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/b"]) == "unix:path=/b")
        #expect(SecretServiceKeyring.sessionBus(["XDG_RUNTIME_DIR": "/nowhere"]) == nil)
        #expect(SecretServiceKeyring.sessionBus(["XDG_RUNTIME_DIR": "relative"]) == nil)
    }

    @Test("refuses to place locks where the session has no directory of its own")
    func locks() throws {
        #expect(
            try SecretServiceStore.defaultLocks(for: "app", environment: ["XDG_RUNTIME_DIR": "/run/user/1"])
                == "/run/user/1/latchkey-app")
        for (name, folder) in [("", "/run"), ("a/b", "/run"), ("a\u{0}", "/run"), ("app", "run"), ("app", "")] {
            let error = #expect(throws: AuthError.self) {
                try SecretServiceStore.defaultLocks(for: name, environment: ["XDG_RUNTIME_DIR": folder])
            }
            #expect(error?.code == .configuration(.invalid))
        }
    }

    @Test("reads records only as they were written")
    func wire() throws {
        let key = StoreKey(.credential, "alice@example.com")
        let wire = KeyringRecordWire(
            key: key, version: RecordVersion([UInt8](repeating: 7, count: 16)), bytes: [1, 2, 3])
        let read = try KeyringRecordWire(wire.text())
        #expect(read.key == key && read.version == wire.version && read.bytes == wire.bytes)
        let whole = try wire.text().decoded().reveal()
        // Cut anywhere before the content.
        for count in 0..<(whole.count - 3) {
            let error = #expect(throws: AuthError.self) {
                _ = try KeyringRecordWire(Secret(Array(whole[..<count])).encoded())
            }
            #expect(error?.code == .store(.damaged))
        }
        let newer = #expect(throws: AuthError.self) { _ = try KeyringRecordWire(Secret([2] + whole[1...]).encoded()) }
        #expect(newer?.code == .store(.newerVersion))
        for text in ["", "=", "not base64!", "AQ==", "AQ\n"] {
            let error = #expect(throws: AuthError.self) { _ = try KeyringRecordWire(Secret(text)) }
            #expect(error?.code == .store(.damaged))
        }
    }

    @Test("puts no name into what the service shows")
    func attributes() {
        let keyring = SecretServiceKeyring(application: "test", busAddress: "x")
        let pairs = keyring.attributes("key", "alice@example.com").pairs.joined(separator: " ")
        #expect(!pairs.contains("alice") && !pairs.contains("example"))
        #expect(keyring.attributes("key", "a").name != keyring.attributes("key", "b").name)
        #expect(keyring.attributes("key", "a").name != keyring.attributes("credential", "a").name)
    }
}
