import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeySupabase

@Suite("Reading what other Supabase clients stored")
struct ImportTests {
    typealias Layout = StoredSessions.Layout

    @Test(
        "every layout brings person, project, refresh token and the identity provider's tokens",
        .complaint(.supabase, 24),
        arguments: StoredSessions.layouts)
    func layouts(_ layout: Layout) throws {
        let found = try SupabaseImport(layout.bytes)
        #expect(found.subject == StoredSessions.ada && found.issuer == Scene.url)
        #expect(found.refresh == Secret("r-old"))
        #expect(found.providerTokens == ["provider_token": "gh-1", "provider_refresh_token": "gh-2"])
    }

    @Test("the array of an older cookie, and the first version's storage, are read as well")
    func older() throws {
        let token = JSON.string(accessToken(["sub": .string(StoredSessions.ada), "iss": .string(Scene.url)]))
        let array: JSON = [token, "r-old", "gh-1", "gh-2", .null]
        let first: JSON = ["currentSession": ["access_token": token, "refresh_token": "r-old"], "expiresAt": 1]
        for stored in [array, [token, "r-old", .null, .null], first] as [JSON] {
            let found = try SupabaseImport(stored.serialized())
            #expect(found.subject == StoredSessions.ada && found.issuer == Scene.url)
            #expect(found.refresh == Secret("r-old"))
        }
        #expect(try SupabaseImport(array.serialized()).providerTokens["provider_refresh_token"] == "gh-2")
        for wrong in [[], [token], [token, 7], [.null, "r-old"]] as [JSON] { _ = try refusal(wrong.serialized()) }
    }

    @Test("a token that is missing, empty, no text or no header's text is named", arguments: StoredSessions.layouts)
    func tokens(_ layout: Layout) throws {
        for token in layout.tokens {
            for value in [nil, .null, "", 7, ["r-old"], "r\nold", "r old"] as [JSON?] {
                let error = try refusal(layout.with(token, value))
                #expect(error.message.contains(layout.path(token) + " "), "\(error.message)")
            }
        }
    }

    @Test(
        "nobody known at all is named, and whoever the token names needs no further word",
        arguments: StoredSessions.layouts)
    func person(_ layout: Layout) throws {
        for value in [nil, .null, "ada", ["id": 7], [:]] as [JSON?] {
            #expect(try SupabaseImport(layout.with("user", value)).subject == StoredSessions.ada)
        }
        var opaque = layout
        opaque.json = try JSON.parse(plain(layout.with(layout.tokens[0], "opaque"), layout))
        let found = try SupabaseImport(opaque.bytes)
        #expect(found.subject == StoredSessions.ada && found.issuer == nil)
        for value in [nil, .null, "ada", ["id": 7], ["id": ""], [:]] as [JSON?] {
            let error = try refusal(opaque.with("user", value))
            #expect(error.message.contains(layout.path("user.id") + " "), "\(error.message)")
        }
    }

    @Test("nothing else is needed, and nothing else of it can be wrong", arguments: StoredSessions.layouts)
    func lenient(_ layout: Layout) throws {
        for member in ["expiresAt", "expires_at", "expiresIn", "expires_in", "tokenType", "token_type", "later"] {
            for value in [nil, .null, "soon", -1, [:]] as [JSON?] {
                #expect(try SupabaseImport(layout.with(member, value)).refresh == Secret("r-old"))
            }
        }
        for member in ["providerToken", "provider_token"] {
            #expect(try SupabaseImport(layout.with(member, 7)).providerTokens["provider_token"] != 7)
        }
    }

    @Test("bytes that end early are told as such, wherever they end", arguments: StoredSessions.layouts)
    func truncated(_ layout: Layout) throws {
        let whole = layout.bytes
        for count in stride(from: 1, to: whole.count, by: 7) {
            let error = try refusal(Array(whole.prefix(count)))
            #expect(error.message.contains("no whole "), "\(count): \(error.message)")
        }
        #expect(try refusal([]).message.contains("empty"))
    }

    @Test(
        "what is no session of a Supabase client is refused",
        arguments: [
            (#"{}"#, "$.refresh_token is missing"), (#"[]"#, "no JSON object"),
            (#""r-old""#, "no whole JSON document (syntax)"),
            (#"null"#, "no whole JSON document (syntax)"), (#"{"session":null}"#, "$.session "),
            (#"{"session":"r-old"}"#, "$.session "),
            (#"{"session":{}}"#, "$.session.refresh_token is missing"),
            (#"{"session":{"session":{"refresh_token":"r-old"}}}"#, "$.session.refresh_token is missing"),
            (#"{"token":"r-old","refreshTokenExpiry":1}"#, "$.refresh_token is missing"),
            (#"{"refresh_token":"r-old"}"#, "$.access_token is missing"),
            (#"{"refresh_token":"r-old","refresh_token":"r-old"}"#, "no whole JSON document (duplicateMember)"),
            ("r-old", "no whole JSON document"), ("base64-", "no whole "), ("base64-r-old~", "no whole base64url"),
            ("base64-cgo", "no whole JSON document"), ("base64-e30", "$.refresh_token is missing"),
            ("BASE64-e30", "no whole JSON document"), ("base64-base64-e30", "no whole "),
        ])
    func foreign(text: String, reason: String) throws {
        let message = try refusal(Array(text.utf8)).message
        #expect(message.contains(reason), "\(message)")
    }

    @Test("what is larger than any session is not looked at")
    func large() throws {
        let error = try refusal([UInt8](repeating: UInt8(ascii: " "), count: SupabaseImport.limit + 1))
        #expect(error.message.contains("larger than"))
    }

    @Test("a cookie is read in either alphabet, padded or not")
    func cookies() throws {
        let padded = "base64-\(Base64.encode(StoredSessions.service.serialized()))"
        for text in [padded, padded + "\n"] {
            #expect(try SupabaseImport(Array(text.utf8)).refresh == Secret("r-old"))
        }
    }

    @Test("nothing of it prints")
    func prints() throws {
        for layout in StoredSessions.layouts {
            let found = try SupabaseImport(layout.bytes)
            var text = "\(found) \(String(reflecting: found))"
            dump(found, to: &text)
            for secret in StoredSessions.secrets { #expect(!text.contains(secret)) }
        }
    }

    /// What a reading is refused with, after a look that no secret is in it.
    private func refusal(_ bytes: [UInt8]) throws -> AuthError {
        do {
            _ = try SupabaseImport(bytes)
        } catch {
            #expect(error.code == .untrusted(.malformed))
            for secret in StoredSessions.secrets { #expect(!error.message.contains(secret)) }
            return error
        }
        throw Missing()
    }

    private func plain(_ bytes: [UInt8], _ layout: Layout) throws -> [UInt8] {
        layout.isCookie ? try Base64URL.decode(String(decoding: bytes.dropFirst(7), as: UTF8.self)) : bytes
    }
}
