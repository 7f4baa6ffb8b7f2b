import Latchkey
import LatchkeyTesting
import Testing

@Suite struct BuilderTests {
    private static func rules(_ name: String = "scripted", authority: String = "https://id.example.com")
        -> ProviderRules
    {
        var rules = ProviderRules.scripted(ProviderID(name))
        rules.binding.authority = authority
        return rules
    }

    private static var whole: AuthClient.Builder {
        AuthClient.Builder().provider(ScriptedProvider(rules: rules())).transport(ScriptedTransport())
    }

    @Test("a client that cannot work is refused when it is built, with a sentence that names what is wrong")
    func refusals() {
        var zero = EngineSettings()
        zero.requestDeadline = .zero
        var negative = EngineSettings()
        negative.leeway = .seconds(-1)
        let unlock = ScriptedUnlock(clock: ManualClock())
        let rows: [(AuthClient.Builder, names: String)] = [
            (AuthClient.Builder().transport(ScriptedTransport()), "at least one provider"),
            (AuthClient.Builder().provider(ScriptedProvider(rules: Self.rules())), "transport"),
            (Self.whole.provider(ScriptedProvider(rules: Self.rules())), "Two providers are named \"scripted\""),
            (Self.whole.provider(ScriptedProvider(rules: Self.rules(""))), "name"),
            (Self.whole.provider(ScriptedProvider(rules: Self.rules("with space"))), "name"),
            (
                Self.whole.provider(ScriptedProvider(rules: Self.rules("a", authority: "http://id.example.com"))),
                "plain http"
            ),
            (
                Self.whole.provider(ScriptedProvider(rules: Self.rules("a", authority: "id.example.com"))),
                "absolute URL"
            ),
            (
                Self.whole.provider(ScriptedProvider(rules: Self.rules("a", authority: "https://u@id.example.com"))),
                "absolute URL"
            ),
            (
                Self.whole.provider(ScriptedProvider(rules: Self.rules("a", authority: "ftp://id.example.com"))),
                "plain http"
            ),
            (Self.whole.settings(zero), "requestDeadline"),
            (Self.whole.settings(negative), "leeway"),
            (Self.whole.unlock(unlock, reason: "r", policy: UnlockPolicy(interval: .seconds(-1))), "interval"),
            (
                Self.whole.unlock(unlock, reason: "r", policy: UnlockPolicy(afterBackground: .seconds(-1))),
                "afterBackground"
            ),
        ]
        for (builder, words) in rows {
            let error = #expect(throws: AuthError.self) { try builder.build() }
            #expect(error?.code == .configuration(.invalid))
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "") should name \(words)")
        }
    }

    @Test("loopback may be reached over plain http", arguments: ["127.0.0.1", "localhost", "[::1]"])
    func loopback(host: String) throws {
        let provider = ScriptedProvider(rules: Self.rules(authority: "http://\(host):8080"))
        _ = try AuthClient.Builder().provider(provider).transport(ScriptedTransport()).build()
    }
}
