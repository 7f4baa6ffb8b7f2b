import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// A request to the userinfo endpoint.
struct UserInfoCall: Sendable {
    let provider: OAuthProvider
    let context: ProviderContext

    private var directory: ServiceDirectory { ServiceDirectory(provider: provider, context: context) }

    /// Asks for the claims of the person whom the ID token names.
    ///
    /// - Returns: What is kept of them.
    func claims(of subject: String, with token: AccessToken) async throws -> JSON {
        let metadata = try await directory.metadata()
        guard let endpoint = metadata.userinfoEndpoint else {
            throw provider.lacks("userinfo endpoint", OAuthWire.userinfoEndpoint, metadata)
        }
        let response = try await context.lookUp(UserInfo.request(token, at: endpoint), isOptional: true)
        do throws(AuthError) {
            guard let signed = try UserInfo.signed(in: response, from: endpoint, now: context.serverNow) else {
                let found = try UserInfo.judge(response, subject: subject, from: endpoint, now: context.serverNow)
                return .object(OpenIDClaimsWire.ofUserInfo(found.claims))
            }
            return .object(OpenIDClaimsWire.ofUserInfo(try await check(signed, subject, response, metadata)))
        } catch {
            throw provider.named(error)
        }
    }

    private func check(
        _ token: Secret, _ subject: String, _ response: TransportResponse, _ metadata: ServerMetadata
    ) async throws(AuthError) -> JSON {
        guard !token.isEncrypted else {
            throw AuthError(.configuration(.unsupported), "The userinfo answer is encrypted, which is not supported.")
        }
        let rules = provider.idTokenRules(response, context)
        do {
            return try await directory.checked(metadata) { keys throws(JOSEError) in
                try UserInfo.verify(token, keys: keys, rules: rules, subject: subject)
            }.claims
        } catch let error as JOSEError {
            throw error.authError(of: "userinfo answer")
        } catch {
            throw AuthError(error)
        }
    }
}

extension Secret {
    /// Whether this is a token of five parts (RFC 7516, section 7.1).
    fileprivate var isEncrypted: Bool { withBytes { bytes in bytes.count { $0 == UInt8(ascii: ".") } == 4 } }
}
