import Latchkey
import LatchkeyClerk
import LatchkeyCrypto
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting

/// One sign-in at one instance, on a device on which others are signed in already, and what became of it.
struct SignInWalk: Sendable {
    let instance: WalkedInstance
    let person: WalkedPerson
    let way: WalkedWay
    /// How many others are signed in on the device.
    let others: Int
    let name: String
    private(set) var unexpected: [String] = []
    private let store = MemoryStore(context: .system)

    init(_ setting: String, _ instance: WalkedInstance, _ person: WalkedPerson, _ way: WalkedWay, others: Int) {
        (self.instance, self.person, self.way, self.others) = (instance, person, way, others)
        name = "\(setting)/\(person.rawValue)/\(way.rawValue)/\(others)"
    }

    private func process() throws -> AuthClient {
        var settings = EngineSettings()
        settings.refresh = .onDemand
        let provider = ClerkProvider.clerk(
            publishableKey: DevServer.Clerk().publishableKey, proxyURL: instance.server.clerkURL)
        return try AuthClient.Builder().provider(provider).store(store).transport(instance).context(.system)
            .settings(settings).build()
    }

    mutating func walk() async {
        do {
            let client = try process()
            let neighbours = try await settle(client)
            await signIn(client, beside: neighbours)
            await client.finish()
        } catch {
            unexpected.append("the walk did not begin: \(error)")
        }
    }

    /// Signs the others in, each by a way that the instance has.
    private func settle(_ client: AuthClient) async throws -> [AccountID: String] {
        var found: [AccountID: String] = [:]
        for address in WalkedPerson.neighbours.prefix(others) {
            let way: SignInMethod =
                instance.has(.ssoOnly)
                ? .browser(connection: "github")
                : instance.has(.emailLink) ? .link(identifier: address) : .code(identifier: address, over: .mail)
            instance.visits(as: address)
            let session = try await client.signIn(
                with: "clerk", way, options: options, asking: WalkedAnswers(instance, address))
            found[session.account] = instance.person(address)
        }
        return found
    }

    private var options: SignInOptions {
        var options = SignInOptions()
        options.redirect = WalkedInstance.redirect
        return options
    }

    private mutating func signIn(_ client: AuthClient, beside neighbours: [AccountID: String]) async {
        instance.visits(as: person.address)
        let answers = WalkedAnswers(instance, person.address)
        let expected = way.ends(for: person, at: instance)
        var ended = WalkedWay.End.signedIn
        var words = ""
        do {
            let end = try await client.converse(way.request(person), with: "clerk", options: options, asking: answers)
            guard case .signedIn(let session) = end else { return unexpected.append("ended elsewhere: \(end)") }
            await judge(session, client, "at once")
        } catch let error { (ended, words) = (.refused(error.code.name), error.message) }
        if !expected.contains(ended) {
            let asked = answers.asked.withLock { $0 }.joined(separator: ",")
            let right = expected.map(\.description).sorted().joined(separator: " or ")
            unexpected.append("\(ended) (\(asked)) instead of \(right): \(words)")
        }
        await judge(neighbours, client, "beside it")
        await judgeAnew(neighbours)
    }

    /// The one who signed in has a token, and it is theirs.
    private mutating func judge(_ session: AuthSession, _ client: AuthClient, _ when: String) async {
        guard let known = instance.session(session.id.value) else {
            return unexpected.append("signed in \(when), and the service has no such session")
        }
        if known.status != "active" { unexpected.append("signed in \(when), and the session is \(known.status)") }
        if let address = instance.person(person.address), address != known.person {
            unexpected.append("signed in \(when) as another person")
        }
        await judge([session.account: known.person], client, when)
    }

    /// Each of `people` has a token of their own.
    private mutating func judge(_ people: [AccountID: String], _ client: AuthClient, _ when: String) async {
        for (account, id) in people {
            do {
                let token = try await client.accessToken(of: account)
                let parts = token.value.revealText().split(separator: ".")
                let payload = parts.count == 3 ? try Base64URL.decode(String(parts[1])) : nil
                let claims = try payload.map { try JSON.parse($0) }
                if claims?["sub"]?.string != id { unexpected.append("a token of another person \(when)") }
                if claims?["sts"]?.string == "pending" { unexpected.append("a token of a pending session \(when)") }
            } catch {
                unexpected.append("no token for \(id) \(when): \(error)")
            }
        }
    }

    /// The same in a process that begins now: whoever was signed in still is.
    private mutating func judgeAnew(_ neighbours: [AccountID: String]) async {
        do {
            let client = try process()
            for account in try await client.accounts() where neighbours[account.id] == nil {
                let id = try await client.session(of: account.id).id.value
                guard let known = instance.session(id) else { continue }
                await judge([account.id: known.person], client, "in the next process")
            }
            await judge(neighbours, client, "in the next process")
            await client.finish()
        } catch {
            unexpected.append("no next process: \(error)")
        }
    }
}
