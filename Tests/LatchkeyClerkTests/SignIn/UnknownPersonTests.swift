import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeyTesting
import Testing

@testable import LatchkeyClerk

/// Nobody learns from a sign-in which addresses have an account.
@Suite("People whom the service does not know") struct UnknownPersonTests {
    private static let nobody = "nobody@example.test"

    private func error(_ work: () async throws -> Void) async -> AuthError? {
        do {
            try await work()
            return nil
        } catch { return error as? AuthError ?? (error as? StillOpen)?.error }
    }

    private func words(_ ask: Ask, _ who: String) -> String {
        switch ask {
        case .code(let channel, let sentTo): "\(channel) to \(sentTo ?? "nobody")".replacing(who, with: "WHO")
        case .openedLink(let sentTo): "link to \(sentTo ?? "nobody")".replacing(who, with: "WHO")
        default: "\(ask)"
        }
    }

    /// What somebody sees: what is asked for, and each error with all that an app may show of it.
    private func seen(_ error: AuthError?) -> [String] {
        [
            error?.code.name ?? "-", error?.message ?? "-", error?.serviceCode ?? "-",
            String(describing: error?.serviceText),
        ]
    }

    @Test(
        "a code, a lost password and a link ask for the same as for a known person, and take nothing",
        arguments: ["code", "reset", "link", "phone"])
    func same(_ way: String) async throws {
        var all: [[String]] = []
        for isKnown in [true, false] {
            let scene = try Scene()
            let who = way == "phone" ? (isKnown ? "+12015550100" : "+12015550199") : isKnown ? Scene.ada : Self.nobody
            let request: SignInRequest =
                switch way {
                case "code": .signIn(.code(identifier: who, over: .mail))
                case "phone": .signIn(.code(identifier: who, over: .sms))
                case "link": .signIn(.link(identifier: who))
                default: .recover(identifier: who)
                }
            var options = SignInOptions()
            options.redirect = "http://127.0.0.1:8765/callback"
            let turn = try await scene.begin(request, options)
            var seen = [words(try turn.challenge().ask, who)]
            #expect(seen[0].hasSuffix("WHO"))
            if way == "link" {
                let wrong = Answer.redirected(Secret("http://127.0.0.1:8765/callback?flow_id=&approval_token="))
                seen += self.seen(await error { _ = try await scene.answer(wrong, turn) })
            } else {
                seen += self.seen(await error { _ = try await scene.answer(.code(Secret("000000")), turn) })
            }
            let again = try await scene.answer(.resend, turn)
            seen.append(words(try again.challenge().ask, who))
            seen.append("\(String(describing: try again.challenge().resendAfter))")
            seen += self.seen(await error { _ = try await scene.answer(.declined, again) })
            #expect(scene.server.clerkMessages.isEmpty == !isKnown)
            all.append(seen)
        }
        #expect(all[0] == all[1])
    }

    @Test("a wrong password and a name that nobody has say the same") func password() async throws {
        var all: [[String]] = []
        for who in [Scene.ada, Self.nobody] {
            let scene = try Scene()
            all.append(
                seen(
                    await error {
                        _ = try await scene.begin(.signIn(.password(identifier: who, Secret("wrong"))))
                    }))
        }
        #expect(all[0] == all[1] && all[0][0] == "refused.wrongInput")
    }

    @Test("a code for nobody is over when the service's own would be") func over() async throws {
        let scene = try Scene()
        let turn = try await scene.begin(.recover(identifier: Self.nobody))
        var challenge = try turn.challenge()
        let conversation = try #require(challenge.state.object)
        let sent = try #require(conversation["sentAt"]?.integer)
        challenge.state = .object(conversation.merging(["sentAt": .integer(sent - 601)]) { $1 })
        let error = await error {
            _ = try await scene.provider.answer(.code(Secret("424242")), to: challenge, in: scene.context)
        }
        #expect(error?.code == .refused(.expired))
    }

    @Test("a person who has an account by the time the code is sent again signs in with it") func meanwhile()
        async throws
    {
        let scene = try Scene()
        let who = "late+clerk_test@example.test"
        let turn = try await scene.begin(.signIn(.code(identifier: who, over: .mail)))
        let form = SignUpForm(identifier: who, password: Secret("a long enough password"))
        let signUp = try await scene.begin(.signUp(form))
        _ = try await scene.answer(.code(Secret("424242")), signUp).grant()
        let again = try await scene.answer(.resend, turn)
        #expect(try await scene.answer(.code(Secret("424242")), again).grant().sessions.count == 1)
    }

    @Test("an app that goes on to a sign-up is told, if it asks for that") func told() async throws {
        var scene = try Scene()
        scene.provider.tellsUnknownPeople = true
        for request in [
            SignInRequest.signIn(.code(identifier: Self.nobody, over: .mail)), .recover(identifier: Self.nobody),
            .signIn(.password(identifier: Self.nobody, Secret("x"))),
        ] {
            let error = await error { [scene] in _ = try await scene.begin(request) }
            #expect(error?.serviceCode == "form_identifier_not_found")
        }
    }
}
