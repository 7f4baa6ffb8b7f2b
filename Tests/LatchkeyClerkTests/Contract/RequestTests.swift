import FoundationEssentials
import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@testable import LatchkeyClerk

@Suite("What Clerk's clients send") struct RequestTests {
    /// The requests that the instance refuses, each by Clerk's own error.
    private static let refused = [
        "api_key": "feature_not_enabled", "client.device_attestation": "feature_not_enabled",
        "client.hosted_auth": "feature_not_enabled", "client.redeem_hosted_auth": "sync_nonce_already_consumed",
        "client.trusted_devices": "feature_not_enabled", "client.verify": "captcha_not_enabled",
        "sign_in.protect_check": "protect_check_already_resolved",
        "sign_up.protect_check": "protect_check_already_resolved", "biometric_credential": "feature_not_enabled",
        "me.trusted_devices": "feature_not_enabled", "web3_wallet": "feature_not_enabled",
        "oauth_consent": "feature_not_enabled", "oauth_device": "feature_not_enabled",
        "directory_sync": "feature_not_enabled", "sso_bypass_allowlist": "feature_not_enabled",
        "organization.enterprise_connection_": "feature_not_enabled",
        "organization.domains_": "feature_not_enabled", "enterprise_account": "resource_not_found",
        "client.magic_links": "flow_not_approved", "client.sign_ins.attempt_second_factor": "client_state_invalid",
        "client.sign_ins.prepare_second_factor": "client_state_invalid",
        "client.sign_ins.reset_password": "client_state_invalid",
        "client.sessions.verify.": "session_reverification_missing",
        "me.totp.attempt_verification": "strategy_for_user_invalid",
        "me.passkeys.attempt_verification": "passkey_invalid_public_key_credential",
        "me.backup_codes": "backup_codes_not_available",
    ]

    /// What a client puts into a field.
    private static let values = [
        "strategy": "email_code", "code": "424242", "password": "pat-password", "level": "first_factor",
        "identifier": "lin+clerk_test@example.test", "redirect_url": ContractWalk.redirect, "first_name": "Ada",
        "email_address": "other+clerk_test@example.test", "current_password": "ada-password",
        "new_password": "another horse", "unsafe_metadata": "{\"a\":1}", "name": "Spindles", "slug": "spindles",
        "role": "org:member", "user_id": "user_lin", "active_organization_id": "org_engines",
        "phone_number": "+12015550188",
        "enrollment_mode": "automatic_suggestion", "affiliation_email_address": "post+clerk_test@engines.test",
        "flow_id": "f", "approval_token": "a", "code_verifier": "v", "rotating_token_nonce": "n", "_method": "GET",
        "public_key_credential": "{}", "username": "countess", "reserved_for_second_factor": "true",
        "organization_id": "org_engines",
    ]

    /// The fields that a request has here, where all of them at once would make no sense.
    private static let fields: [String: [String]] = [
        "client.sign_ins.create": ["identifier"], "client.sign_ups.create": ["email_address"],
        "client.sign_ups.update": ["first_name"], "client.sessions.tokens": [],
        "client.sign_ins.attempt_first_factor": ["strategy", "code"],
        "client.sign_ins.prepare_first_factor": ["strategy"], "client.sign_ups.prepare_verification": ["strategy"],
        "client.sign_ups.attempt_verification": ["strategy", "code"],
        "me.update": ["first_name", "username"], "me.email_addresses.prepare_verification": ["strategy"],
        "me.external_accounts.create": ["strategy", "redirect_url"],
        "me.phone_numbers.prepare_verification": [], "organizations.domains.create": ["name"],
    ]

    private func form(_ request: ClientRequest) -> [UInt8] {
        let names = Self.fields[request.name] ?? request.fields
        let pairs = names.compactMap { name -> String? in
            guard var value = Self.values[name] else { return nil }
            if request.name.hasPrefix("me.external_accounts"), name == "strategy" { value = "oauth_google" }
            if request.name == "organizations.domains.create" { value = "spindles.test" }
            if request.name == "organizations.memberships.update" { value = "org:admin" }
            return RawClient.encode([name: value])
        }
        return Array(pairs.joined(separator: "&").utf8)
    }

    private func send(_ request: ClientRequest, _ world: RequestWorld) async throws -> RawAnswer {
        let path = world.path(of: request)
        let takesSession = path.hasPrefix("/me") || path.hasPrefix("/organizations") || path == "/environment"
        let (session, query) = (takesSession ? world.session : nil, path == "/client/touch" ? Self.back : "")
        if request.isMultipart {
            let body = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nPNG\r\n--b--\r\n"
            return try await world.ada.send(
                request.method, path, query: query, as: session, body: Array(body.utf8),
                type: "multipart/form-data; boundary=b")
        }
        return try await world.ada.send(request.method, path, query: query, as: session, body: form(request))
    }

    private static let back = "redirect_url=http%3A%2F%2F127.0.0.1%3A8765%2Fcallback"

    @Test(
        "each is answered as the clients decode it, or refused by Clerk's own error; never by a page",
        arguments: RawClient.Style.allCases)
    func all(_ style: RawClient.Style) async throws {
        var (answered, refused, found) = (0, 0, ClientContract.Finding())
        let shared = try await RequestWorld(style: style)
        for request in ClientRequest.all {
            let expected = Self.refused.first { request.name.hasPrefix($0.key) }?.value
            // What changes something gets an instance of its own.
            let changes = request.method != "GET" && expected == nil
            let answer = try await send(request, changes ? RequestWorld(style: style) : shared)
            if answer.status >= 400 {
                refused += 1
                let error = answer.json["errors"]?.array?.first
                #expect(error?["code"]?.string == expected, "\(style) \(request.name): \(answer.text.prefix(200))")
                #expect(error?["message"]?.string != nil && error?["long_message"]?.string != nil)
                #expect(error?["meta"]?.object != nil && answer.json["clerk_trace_id"]?.string != nil)
            } else {
                answered += 1
                #expect(expected == nil, "\(style) \(request.name) was answered")
                if answer.status == 200 { request.check(answer, &found) }
            }
            let isClosed = answer.fields["Access-Control-Allow-Origin"] == nil
            #expect(isClosed == (style != .browser), "\(request.name)")
            if style == .browser { #expect(answer.fields["Authorization"] == nil) }
        }
        print("\(style): requests=\(ClientRequest.all.count) answered=\(answered) refused=\(refused)")
        #expect(answered + refused == 157 && answered >= 90)
        #expect(
            found.missing.isEmpty && found.wrong.isEmpty, "\((found.missing + found.wrong).joined(separator: "\n"))")
    }

    @Test(
        "what nothing answers at is refused by Clerk's own error too", arguments: ["/nowhere", "/me/nowhere", "/m2m"])
    func nowhere(_ path: String) async throws {
        let client = try RawClient()
        let session = try await client.signIn()
        let answer = try await client.send("GET", path, as: session)
        #expect(answer.status == 404 && answer.code == "resource_not_found")
    }
}
