public import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore
import LatchkeyPluginKit

extension SignInMethod {
    /// Takes over the people who are signed in through Clerk's own iOS library: all sessions of its
    /// client, with the active one as the current account. Use it only while nobody is signed in
    /// here yet, such as at the first start.
    ///
    /// - Parameter deviceToken: The text of the keychain item `clerkDeviceToken`. Delete the item
    ///   afterwards: once one of the two programs has used the token, the other has an old one.
    public static func clerkDeviceToken(_ deviceToken: Secret) -> SignInMethod {
        .custom(name: DeviceToken.method.name, fields: [DeviceToken.field: deviceToken])
    }
}

/// A client token of another library.
struct DeviceToken {
    static let method = CustomMethod(name: "clerk-device-token", fields: [Ask.Field(name: field, secret: true)])
    static let field = "token"
    private let token: Secret

    /// Reads the token from a request; `nil` if the request is another one.
    ///
    /// - Throws: `configuration(.invalid)` if it is not a client token.
    init?(_ request: SignInRequest, of provider: ClerkProvider) throws(AuthError) {
        guard case .signIn(.custom(Self.method.name, let fields)) = request else { return nil }
        guard let token = fields[Self.field], (1...8_192).contains(token.count),
            token.reveal().allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw provider.error(.configuration(.invalid), "This is no client token of Clerk: it is one line of text.")
        }
        self.token = token
    }

    func turn(of provider: ClerkProvider, in context: ProviderContext) async throws -> Turn {
        guard context.shared == nil else {
            throw provider.error(
                .configuration(.invalid), "Somebody is signed in here; a client token is taken over before that.")
        }
        let service = ClerkService(provider, context, token: token)
        let client = try await service.get("/client")
        let sessions = (client["sessions"]?.array ?? []).filter {
            ["active", "pending"].contains($0["status"]?.string)
        }
        let active = sessions.first { $0["id"] == client["last_active_session_id"] } ?? sessions.first
        // The service answers an old token with success, but with a client that nobody is signed in on.
        guard let active = active?["id"]?.string else {
            throw provider.error(.signInRequired(.expired), "Nobody is signed in by this client token any more.")
        }
        var conversation = ClerkConversation(service)
        conversation.takesAll = true
        return try await conversation.granted(active)
    }
}
