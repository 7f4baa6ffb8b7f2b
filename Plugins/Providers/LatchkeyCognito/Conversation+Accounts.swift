import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyPluginKit
import LatchkeyOAuthCore

/// Sign-up, reset, authenticator apps, and the device that is signing in.
extension CognitoService {
    func signUp(_ form: SignUpForm) async throws -> Turn {
        let pending = Pending.of(form.identifier)
        let attributes = form.fields.sorted { $0.key < $1.key }.map { JSON.of(["Name": .string($0), "Value": $1]) }
        let answer = try await call(
            "SignUp", of: form.identifier,
            ["Password": .revealing(form.password), "UserAttributes": .array(attributes)])
        let isConfirmed = answer["UserConfirmed"] == true
        if isConfirmed, let password = form.password { return try await signIn(pending, password) }
        if isConfirmed { return .continuesElsewhere(.signIn) }
        return answer["CodeDeliveryDetails"] == nil ? .continuesElsewhere(.approval) : confirmation(pending, answer)
    }

    /// Asks for the code that was sent; `answer` says where to.
    func confirmation(_ pending: Pending, _ answer: JSON) -> Turn {
        let details = answer["CodeDeliveryDetails"]
        let channel = details?["DeliveryMedium"] == "SMS" ? DeliveryChannel.sms : .mail
        return asked(.code(over: channel, sentTo: details?["Destination"]?.string), pending)
    }

    /// Sends a reset code, and asks for it together with the new password: the service takes both in one call.
    func sendReset(_ pending: Pending) async throws -> Turn {
        _ = try await call("ForgotPassword", of: pending.typed)
        let fields = [Ask.Field(name: "code"), .newPassword("password", rules: provider.passwordRules)]
        return asked(.fields(fields), pending.with(["step": "reset"]))
    }

    func reset(_ pending: Pending, _ fields: [String: Secret]) async throws -> Turn {
        guard let code = fields["code"], let password = fields["password"] else { throw unsupported }
        _ = try await call(
            "ConfirmForgotPassword", of: pending.typed,
            ["ConfirmationCode": .revealing(code), "Password": .revealing(password)])
        return try await signIn(pending, password)
    }

    /// Names the owner of a new authenticator app: the signed-in person, or else the person who is signing in.
    private func owner(_ pending: Pending) -> [String: JSON?] {
        context.principal.map { ["AccessToken": .revealing($0.accessToken?.value)] } ?? ["Session": pending["session"]]
    }

    func enrol(_ pending: Pending) async throws -> Turn {
        let answer = try await call("AssociateSoftwareToken", owner(pending))
        guard let key = answer["SecretCode"]?.string else { throw unsupported }
        let words = ["\(provider.title):\(pending.typed)", provider.title].map { FormEncoding.encode($0) }
        let address = "otpauth://totp/\(words[0])?secret=\(key)&issuer=\(words[1])".replacing("+", with: "%20")
        return asked(
            .enrolment(Ask.Enrolment(key: key, address: address)), pending.with(["session": answer["Session"]]))
    }

    func verify(_ pending: Pending, _ code: Secret) async throws -> Turn {
        let answer = try await call(
            "VerifySoftwareToken", owner(pending).merging(["UserCode": .revealing(code)]) { $1 })
        guard let principal = context.principal else {
            return try await go(on: pending.with(["session": answer["Session"]]), [:])
        }
        let preference: JSON = ["Enabled": true, "PreferredMfa": true]
        let settings = owner(pending).merging(["SoftwareTokenMfaSettings": preference]) { $1 }
        _ = try await call("SetUserMFAPreference", settings)
        return .signedIn(Grant(continuing: principal))
    }

    func granted(_ answer: JSON, _ pending: Pending) async throws -> Turn {
        let result = answer["AuthenticationResult"]
        let device = result?["NewDeviceMetadata"]?["DeviceKey"]
        let session: AuthSession
        do {
            session = try self.session(answer, device: device ?? pending["device"])
        } catch {
            giveBack(answer)
            throw error
        }
        if let device { await remember(device, session, pending) }
        return .signedIn(Grant(refreshToken: result?["RefreshToken"]?.string.map { Secret($0) }, session))
    }

    /// Keeps this device's key for the next sign-in under any of the person's names. If it cannot
    /// be kept, the person is signed in all the same.
    private func remember(_ device: JSON, _ session: AuthSession, _ pending: Pending) async {
        // The service refuses refreshes from an unconfirmed device. The verifier is random: no password fits it.
        let lengths = ["PasswordVerifier": 384, "Salt": 16]
        let config = JSON.object(lengths.mapValues { .string(Base64.encode(context.world.random($0))) })
        let token = JSON.revealing(session.tokens[.standard]?.value)
        let members = ["AccessToken": token, "DeviceKey": device, "DeviceSecretVerifierConfig": config]
        _ = try? await call("ConfirmDevice", members)
        let names = [pending["typed"], pending["user"], session.state["user"], session.label.map(JSON.string)]
        let entry = JSON.of(["key": device, "names": .array(names.compactMap { $0 })]).serialized()
        let version = try? await context.memory.read(of: session.account)?.version
        _ = try? await context.memory.replace(of: session.account, at: version, with: entry)
    }

    /// Returns this device's key for the account with that name.
    func knownDevice(of name: String) async throws -> (key: JSON?, account: AccountID, version: RecordVersion)? {
        for account in try await context.memory.accounts() {
            guard let entry = try await context.memory.read(of: account) else { continue }
            let kept = try? JSON.parse(entry.bytes)
            if kept?["names"]?.array?.contains(.string(name)) == true { return (kept?["key"], account, entry.version) }
        }
        return nil
    }
}
