import Latchkey
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeyOAuth
import LatchkeyTesting

/// `crash-member DIRECTORY ISSUER refresh|sign-in|sign-out STEP`: does it over the store in the directory, and kills itself
/// before the step, counted from 1. Says `done` when the caller of the library would be told so.
@main
struct CrashMember {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let step = Int(arguments[4]) else { return Doom.say("wrong arguments") }
        let doom = Doom(before: step)
        var context = PluginContext.system
        context.files = CrashingFiles(doom)
        var settings = EngineSettings()
        settings.refresh = .onDemand
        let network = CurlTransport()
        var provider = OAuthProvider.oauth(issuer: arguments[2], clientID: "dev-native")
        // The development server revokes by sign-in.
        provider.revocationReach = .grant
        let auth = try AuthClient.Builder()
            .provider(provider)
            .store(.file(unencryptedAt: arguments[1], context: context))
            .transport(CrashingTransport(doom: doom, real: network)).context(context).settings(settings).build()
        switch arguments[3] {
        case "refresh": try await auth.refresh()
        case "sign-out": try await auth.signOut()
        default:
            // The browser is another program, and does not die.
            let browser = ScriptedBrowser(redirect: "http://127.0.0.1:7777/callback") { url in
                let response = try await network.send(TransportRequest("GET", url), deadline: .seconds(10))
                return response.fields["Location"] ?? ""
            }
            _ = try await auth.signIn(with: "oauth", .browser(), asking: browser)
        }
        Doom.say("done")
        doom.step("after the end")
    }
}
