import Latchkey
import LatchkeyCurl
import Testing

@testable import LatchkeyCommand

@Suite("doctor: the key of a server that is really there")
struct ServerKeyTests {
    private func profile(_ server: TLSIssuer, _ caFile: String?) -> Profile {
        var profile = Profile(name: "default", issuer: server.issuer, clientID: "notes")
        profile.caFile = caFile
        return profile
    }

    /// Checks the service as the tool does, with the authorities in `caFile`, or the system's.
    private func checks(of server: TLSIssuer, caFile: String?) async throws -> [Checkup] {
        let profile = profile(server, caFile)
        let keys = KeyCheckups(profile: profile, texts: .english) {
            try await Composition.publicKey(of: $0, for: profile)
        }
        return try await ServiceCheckups(
            profile: profile, world: .system, texts: .english, transport: CurlTransport(caFile: caFile), keys: keys
        ).all()
    }

    @Test("The pin is the one that openssl computes; a host that the certificate does not name has none to show")
    func pin() async throws {
        guard let server = try await TLSIssuer.start() else { return }
        let found = try await checks(of: server, caFile: server.caFile)
        #expect(found.first?.check == "tls" && found.first?.verdict == .ok)
        let pins = found.filter { $0.check == "pin" }
        #expect(pins.map(\.verdict) == [.ok, .fail], "\(found.map(\.message))")
        #expect(pins.first?.message == "127.0.0.1 presents the key \(server.pin)")
        #expect(pins.last?.message.contains(server.pin) == false)
        #expect(try PublicKeyPin(base64: server.pin).base64 == server.pin)
    }

    @Test("The key of a server whose authority nobody trusts is not shown, and nothing else of it is read")
    func untrusted() async throws {
        guard let server = try await TLSIssuer.start() else { return }
        let found = try await checks(of: server, caFile: nil)
        #expect(found.map(\.check) == ["tls"] && found.first?.status == .untrusted)
        let error = await #expect(throws: TransportError.self) {
            try await Composition.publicKey(of: server.issuer, for: profile(server, nil))
        }
        #expect(error?.code == .tls)
    }
}
