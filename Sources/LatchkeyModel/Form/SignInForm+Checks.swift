public import Latchkey

/// What the form says while the person types. Hints never keep the form from being sent; a missing
/// input does.
extension SignInForm {
    /// What must be given for the purpose and the method.
    public var inputs: Set<FormMethod.Input> {
        switch purpose {
        case .signIn, .link: method?.inputs ?? []
        case .recover: [.identifier]
        case .signUp:
            Set([.identifier] + (signUpAsksPassword ? [.password] : []) + (signUpFields.isEmpty ? [] : [.fields]))
        }
    }

    /// The fields to show: those of the provider's own method, or of the new account.
    public var shownFields: [Ask.Field] {
        guard inputs.contains(.fields) else { return [] }
        return purpose == .signUp ? signUpFields : method?.fields ?? []
    }

    /// What is missing before the form can be sent.
    public var missing: Set<FormMethod.Input> {
        inputs.filter { input in
            switch input {
            case .identifier: Self.trimmed(identifier).isEmpty
            case .password: password.isEmpty
            case .domain: Self.trimmed(domain).isEmpty
            case .fields: shownFields.contains { $0.required && (fields[$0.name]?.isEmpty ?? true) }
            }
        }
    }

    /// Whether the form can be sent.
    public var isComplete: Bool { method != nil && missing.isEmpty }

    /// What looks wrong with the address as it is typed; `nil` if nothing does, or it is not one.
    public var addressHint: AddressHint? {
        guard identifierKind == .mail, inputs.contains(.identifier) else { return nil }
        return AddressHint(identifier)
    }

    /// The rules that a new password breaks; empty if none is asked for, or nothing is typed yet.
    public var brokenRules: [PasswordRules.Rule] {
        guard purpose == .signUp, inputs.contains(.password), !password.isEmpty else { return [] }
        return passwordRules.broken(by: password)
    }

    /// Whether to say that caps lock is on: a password is asked for, and cannot be seen.
    public var hintsAtCapsLock: Bool { isCapsLockOn && inputs.contains(.password) && !isPasswordShown }

    /// Returns every hint for the person, one sentence each.
    public func hints(in language: TextLanguage = .system) -> [String] {
        var hints = brokenRules.map { passwordRules.text($0, in: language) }
        if let addressHint { hints.insert(addressHint.text(in: language), at: 0) }
        if hintsAtCapsLock { hints.append(ModelTexts.table.text("capsLock", in: language)) }
        return hints
    }
}
