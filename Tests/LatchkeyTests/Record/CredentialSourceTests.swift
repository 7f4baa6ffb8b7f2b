import FoundationEssentials
import Latchkey
import Proofs
import Testing

@testable import Latchkey

@Suite("A credential in a stored record")
struct CredentialSourceTests {
    private let binding = ProviderBinding(provider: ProviderID("p"), authority: "https://id.example", client: "app")

    private func record() -> CredentialRecord {
        let session = AuthSession(
            id: AuthSession.ID("s"), account: AccountID(subject: "ada", of: binding), label: nil,
            tokens: [.standard: AccessToken(Secret("access"))])
        let credential = Credential(
            id: Credential.ID("c"), binding: binding, refreshToken: Secret("renewal"), sessions: [session])
        return CredentialRecord(writeID: "w1", login: "l", refreshTokenID: "r", credential: credential)
    }

    /// A record as another writer may have left it: spaces and escapes where this one makes none.
    private func foreign() -> String {
        String(decoding: record().bytes(), as: UTF8.self)
            .replacing("\"credential\":{", with: "\"credential\" :\n{ ").replacing(
                "renewal\",", with: "re\\u006eewal\" ,")
    }

    private func text(_ record: CredentialRecord) -> String { String(decoding: record.bytes(), as: UTF8.self) }

    @Test("stays in the bytes it was read from while only what is beside it changes")
    func unchanged() throws {
        let foreign = foreign()
        var read = try CredentialRecord(Array(foreign.utf8))
        let stamp = CredentialRecord.Stamp(
            boot: "b", at: MonotonicInstant(nanoseconds: 5), wall: Date(timeIntervalSince1970: 6))
        read.writeID = "w2"
        read.live?.mark = CredentialRecord.Mark(
            id: "m", refreshTokenID: "r", by: "me", sent: stamp, deadline: .seconds(1))
        let written = text(read)
        let start = try #require(foreign.firstRange(of: "{ ")), end = try #require(foreign.firstRange(of: ",\"ended\""))
        #expect(written.contains("\"credential\":" + foreign[start.lowerBound..<end.lowerBound] + ",\"ended\""))
        let again = try CredentialRecord(Array(written.utf8))
        #expect(again.mark == read.mark && again.writeID == "w2")
        #expect(again.credential?.refreshToken == Secret("renewal"))
    }

    @Test("is written anew once it is changed, whatever it is changed by", .law(2))
    func changed() throws {
        let changes: [(inout CredentialRecord) -> Void] = [
            { $0.live?.credential.refreshToken = Secret("second") },
            { $0.live?.credential.sessions[0].tokens[.standard] = AccessToken(Secret("second")) },
            {
                guard var next = $0.credential else { return }
                next.refreshToken = Secret("second")
                $0.live?.credential = next
            },
            { $0.merge(CredentialChange(refreshToken: Secret("second")), refreshTokenID: "r2") },
        ]
        for change in changes {
            var read = try CredentialRecord(Array(foreign().utf8))
            change(&read)
            let written = text(read)
            #expect(written.contains("second") && !written.contains("{ "))
        }
    }

    @Test("is not left behind when the login ends")
    func ended() throws {
        var read = try CredentialRecord(Array(foreign().utf8))
        let stamp = CredentialRecord.Stamp(
            boot: "b", at: MonotonicInstant(nanoseconds: 5), wall: Date(timeIntervalSince1970: 6))
        read.end("l", .signedOut, at: stamp)
        #expect(!text(read).contains("ewal\"") && !text(read).contains("access"))
    }
}
