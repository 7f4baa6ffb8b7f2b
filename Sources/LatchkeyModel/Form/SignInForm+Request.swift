import Latchkey
import LatchkeyJSON

/// What the form asks of the provider.
extension SignInForm {
    /// The request; `nil` if the form is incomplete.
    var request: SignInRequest? {
        guard isComplete, let method else { return nil }
        let identifier = Self.trimmed(identifier)
        switch purpose {
        case .signIn: return signInMethod(method).map(SignInRequest.signIn)
        case .link: return signInMethod(method).map { .link($0) }
        case .recover: return .recover(identifier: identifier)
        case .signUp:
            let values = shownFields.compactMap { field in
                fields[field.name].map { (field.name, JSON.string($0.revealText())) }
            }
            return .signUp(
                SignUpForm(
                    identifier: identifier, password: signUpAsksPassword ? password : nil,
                    fields: Dictionary(values) { _, last in last }))
        }
    }

    private func signInMethod(_ method: FormMethod) -> SignInMethod? {
        let identifier = Self.trimmed(identifier)
        switch method.kind {
        case .password: return .password(identifier: identifier, password)
        case .code: return .code(identifier: identifier, over: method.channel ?? .mail)
        case .link: return .link(identifier: identifier)
        case .browser: return .browser(connection: method.detail)
        case .enterprise: return .enterprise(domain: Self.trimmed(domain))
        case .device: return .device
        case .passkey: return .passkey
        case .wallet: return method.detail.map { .wallet(chain: $0) }
        case .anonymous: return .anonymous
        case .custom: return method.detail.map { .custom(name: $0, fields: fields) }
        // Nobody types these: the app passes them to `signIn(_:with:)`.
        case .idToken, .ticket, .refreshToken, .clientCredentials: return nil
        @unknown default: return nil
        }
    }
}
