import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore
import LatchkeyTesting
import RecordedGoTrue
import Proofs
import Testing

@testable import LatchkeySupabase

/// What an exchange comes to.
enum Seen: Hashable, Sendable {
    case session, user, madeUpUser, done, address, enrolment, factorOffer, passkeyOffer, passkey, halfConfirmed
    case passkeys(Int)
    case loggedOut(Bool)
    /// Of the person's own calls: what the app is told, and what it says about the token.
    case bearer(AuthError.Code, String, TokenVerdict)
    case failure(AuthError.Code, String?)
    case callbackCode
    case callbackSession(String?)
    case callbackFailure(AuthError.Code, String?)
    /// A redirect that leads on, and not back to the app.
    case elsewhere
    // What a refused refresh is.
    case gone(String)
    case unexplained(String)
    case notLookedAt(AuthError.Code)
    case passing(AuthError.Code, String)
    // Read by the modules for OAuth and keys.
    case keys, metadata, oauthTokens, userInfo
    case oauthRefusal(String)
    /// Documents that nothing here reads: they have these members.
    case members([String])

    /// Without one of these there is no such value.
    var required: [String] {
        switch self {
        case .session: ["access_token", "token_type", "expires_in", "refresh_token"]
        case .user, .madeUpUser, .passkey: ["id"]
        case .passkeys(let count): count == 0 ? [] : ["id"]
        case .address: ["url"]
        case .enrolment: ["id", "type"]
        case .factorOffer: ["id"]
        case .passkeyOffer: ["challenge_id", "options"]
        case .callbackCode: ["code"]
        case .callbackSession: ["access_token", "token_type", "expires_in", "refresh_token"]
        case .metadata: ["issuer", "token_endpoint"]
        case .keys: ["keys"]
        case .oauthTokens: ["access_token"]
        case .userInfo: ["sub"]
        case .members(let names): names
        default: []
        }
    }
}

/// Why an exchange could not be read.
struct Unreadable: Error {
    var message: String
}

@Suite("Recorded truth")
struct RecordedTruthTests {
    @Test(
        "every recorded exchange is what the table says, and each member that must be there is missed by name",
        .complaint(.supabase, 16))
    func all() async throws {
        let exchanges = try RecordedExchange.all()
        #expect(Set(exchanges.map(\.title)) == Set(RecordedTable.rows.keys))
        var (checked, removals, named) = (0, 0, 0)
        for exchange in exchanges {
            let expected = try #require(RecordedTable.rows[exchange.title])
            let seen = try await Reader(exchange).seen(as: expected)
            #expect(seen == expected, "\(exchange.title)")
            checked += seen == expected ? 1 : 0
            var required = expected.required
            if expected == .enrolment, exchange.sent["factor_type"] == "totp" {
                required += ["totp.uri", "totp.secret"]
            }
            for member in required {
                removals += 1
                do {
                    let seen = try await Reader(exchange.without(member)).seen(as: expected)
                    Issue.record("\(exchange.title) without \(member) is \(seen)")
                } catch let error as Unreadable {
                    let isNamed = error.message.contains(member)
                    #expect(isNamed, "\(exchange.title) without \(member): \(error.message)")
                    named += isNamed ? 1 : 0
                }
            }
        }
        print("\(exchanges.count) exchanges, \(checked) checked, \(removals) removals, \(named) named")
        #expect(exchanges.count == 230 && checked == 230 && removals == named && removals > 300)
    }
}

/// Reads one exchange as the provider would.
private struct Reader {
    let exchange: RecordedExchange
    let provider: SupabaseProvider
    let transport = ScriptedTransport()

    init(_ exchange: RecordedExchange) {
        self.exchange = exchange
        provider = .supabase(authURL: "http://127.0.0.1:9999")
        for method in ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD"] {
            transport.always(method, provider.authURL + "/any", .answer(exchange.response))
        }
        transport.always("POST", provider.authURL + "/token?grant_type=refresh_token", .answer(exchange.response))
        transport.always("POST", provider.authURL + "/logout?scope=local", .answer(exchange.response))
    }

    private var context: ProviderContext {
        ProviderContext(world: .testing(), transport: transport, cache: KeepingCache())
    }

    private var service: SupabaseService { SupabaseService(provider: provider, context: context) }
    private var any: ServiceRequest { ServiceRequest(exchange.method, "/any") }

    func seen(as expected: Seen) async throws -> Seen {
        do {
            if case .loggedOut = expected {
                return .loggedOut(try await provider.logOut(.thisSession, Secret("t"), service))
            }
            if !exchange.location.isEmpty { return try await arrived() }
            return exchange.isRefresh ? try await refreshed() : try await read(as: expected)
        } catch let failure as SupabaseFailure {
            let error = failure.authError("supabase")
            guard case .bearer = expected else { return .failure(error.code, error.serviceCode) }
            return .bearer(error.code, error.serviceCode ?? "", provider.verdict(on: exchange.response))
        } catch let error as AuthError {
            throw Unreadable(message: error.message)
        } catch let error as JSONError {
            throw Unreadable(message: error.description)
        }
    }

    private func read(as expected: Seen) async throws -> Seen {
        switch expected {
        case .session:
            _ = try await service.session(any)
            return .session
        case .user, .madeUpUser:
            let user = try service.read(await service.send(any), SupabaseUser.init)
            return UserAnswer.isMadeUp(user.json) ? .madeUpUser : .user
        case .address: return try await address()
        case .enrolment: _ = try service.read(await service.send(any), SupabaseEnrolment.init)
        case .factorOffer: _ = try service.read(await service.send(any), FactorOffer.init)
        case .passkeyOffer: _ = try service.read(await service.send(any), PasskeyOffer.init)
        case .passkey: _ = try service.read(await service.send(any), SupabasePasskey.init)
        case .passkeys:
            let list = try service.read(await service.send(any)) { json throws(JSONError) in
                try JSONField(json).array().map { field throws(JSONError) in try SupabasePasskey(field.value ?? .null) }
            }
            return .passkeys(list.count)
        case .halfConfirmed: return SessionAnswer.isHalf(try await service.json(any)) ? .halfConfirmed : .done
        case .keys:
            do { _ = try JSONWebKeySet(parsing: JSON.parse(exchange.response.body)) } catch let error as JOSEError {
                throw Unreadable(message: "\(error)")
            }
        case .metadata:
            let issuer = try JSON.parse(exchange.response.body)["issuer"]?.string ?? "http://127.0.0.1"
            _ = try ServerMetadata.read(exchange.response.body, issuer: issuer)
        case .oauthTokens, .oauthRefusal: return try oauth()
        case .userInfo: _ = try UserInfo.judge(exchange.response, subject: nil)
        case .members(let names):
            for name in names {
                let field = JSONField(try JSON.parse(exchange.response.body))[name]
                guard field.isPresent else { throw JSONError(.missing, at: field.path) }
            }
        default:
            _ = try await service.send(any)
            return .done
        }
        return expected
    }

    private func address() async throws -> Seen {
        let scene = Conversation(provider: provider, context: context, options: SignInOptions())
        let response = try await service.send(any)
        guard case .visit = try scene.visiting(response, "app://cb", Pending(.browser)).challenge().ask else {
            return .done
        }
        return .address
    }

    private func oauth() throws -> Seen {
        switch TokenAnswer.judge(exchange.response, now: context.serverNow) {
        case .tokens: return .oauthTokens
        case .failure(.definiteRefusal(let code)): return .oauthRefusal(code)
        case .failure(.malformed(let error)): throw error
        case .failure: return .done
        }
    }

    private func refreshed() async throws -> Seen {
        let subject = (try? JSON.parse(exchange.response.body))?["user"]?["id"]?.string ?? "nobody"
        let id = AuthSession.ID("s")
        let session = AuthSession(id: id, account: AccountID(subject: subject, of: provider.rules.binding))
        let credential = Credential(
            id: Credential.ID("c"), binding: provider.rules.binding, refreshToken: Secret("r"), sessions: [session])
        do {
            let change = try await provider.refresh(credential, for: TokenWant(session: id), in: context)
            return change.minted[id]?[.standard] == nil ? .done : .session
        } catch let refusal as Refusal {
            return refusal.kind == .definite ? .gone(refusal.code) : .unexplained(refusal.code)
        } catch let unsent as NotSent {
            return .notLookedAt(unsent.error.code)
        } catch let error as AuthError {
            guard let code = error.serviceCode else { throw error }
            return .passing(error.code, code)
        }
    }

    /// A callback's own session has no description of the person, so it is judged as the link of the address in it.
    private func arrived() async throws -> Seen {
        do {
            switch try Callback(Secret(exchange.location), provider: "supabase") {
            case .code: return .callbackCode
            case .session(let members, let type):
                do throws(JSONError) { _ = try SessionAnswer(.object(members)) } catch {
                    throw Unreadable(message: error.description)
                }
                return .callbackSession(type)
            case .failed(let error): return .callbackFailure(error.code, error.serviceCode)
            case .halfConfirmed: return .halfConfirmed
            }
        } catch let error as AuthError {
            guard RecordedTable.rows[exchange.title] == .elsewhere else { throw error }
            return .elsewhere
        }
    }
}
