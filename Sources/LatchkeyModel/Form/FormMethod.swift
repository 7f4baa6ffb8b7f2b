public import Latchkey

/// One way to sign in that the form offers, because a provider has it and the app wants it.
public struct FormMethod: Hashable, Sendable, Identifiable {
    /// Something that the form must be given for a method.
    public enum Input: String, CaseIterable, Hashable, Sendable {
        /// An address, phone number or user name.
        case identifier
        /// The password.
        case password
        /// The domain of an organization.
        case domain
        /// The fields of a provider's own method.
        case fields
    }

    /// The provider that has it.
    public var provider: ProviderID
    /// The kind of method.
    public var kind: SignInMethod.Kind
    /// How its code is sent, if it sends one.
    public var channel: DeliveryChannel?
    /// The connection, chain or custom method that it stands for, as the service names it.
    public var detail: String?
    /// The fields of a provider's own method; empty for others.
    public var fields: [Ask.Field] = []

    /// Creates a method.
    public init(
        _ kind: SignInMethod.Kind, of provider: ProviderID, channel: DeliveryChannel? = nil, detail: String? = nil,
        fields: [Ask.Field] = []
    ) {
        self.provider = provider
        self.kind = kind
        self.channel = channel
        self.detail = detail
        self.fields = fields
    }

    /// Stable across launches.
    public var id: String {
        [provider.name, kind.rawValue, channel?.rawValue ?? "", detail ?? ""].joined(separator: " ")
    }

    /// What the form must be given for it.
    public var inputs: Set<Input> {
        switch kind {
        case .password: [.identifier, .password]
        case .code, .link: [.identifier]
        case .enterprise: [.domain]
        case .custom: fields.isEmpty ? [] : [.fields]
        default: []
        }
    }

    /// Returns the words for its button. A connection keeps the name that the service gives it.
    public func label(in language: TextLanguage = .system) -> String {
        let name = ModelTexts.cleaned(detail ?? "")
        if kind == .browser, detail != nil {
            return ModelTexts.table.text("method.connection", in: language, ["name": name])
        }
        if let channel, channel != .mail { return ModelTexts.table.text("method.code.phone", in: language) }
        return ModelTexts.table.text("method.\(kind.rawValue)", in: language, ["name": name])
    }
}

extension FormMethod {
    /// The methods that a form can start, in the order in which they are offered. An ID token, a
    /// ticket and a program's own credentials are not typed by anybody.
    private static let order: [SignInMethod.Kind] = [
        .passkey, .password, .code, .link, .browser, .enterprise, .device, .wallet, .custom, .anonymous,
    ]

    /// Returns what the providers have and the app wants.
    static func offered(by rules: [ProviderID: ProviderRules], _ options: ModelOptions) -> [FormMethod] {
        let names = options.providers ?? rules.keys.sorted { $0.name < $1.name }
        return names.flatMap { name in
            order.flatMap { kind -> [FormMethod] in
                guard let rules = rules[name], rules.methods.contains(kind), options.methods?.contains(kind) ?? true
                else { return [] }
                return offered(kind, by: name, rules, options)
            }
        }
    }

    private static func offered(
        _ kind: SignInMethod.Kind, by name: ProviderID, _ rules: ProviderRules, _ options: ModelOptions
    ) -> [FormMethod] {
        switch kind {
        case .code: options.channels.map { FormMethod(kind, of: name, channel: $0) }
        case .browser where !options.connections.isEmpty:
            options.connections.map { FormMethod(kind, of: name, detail: $0) }
        case .wallet: options.chains.map { FormMethod(kind, of: name, detail: $0) }
        case .custom: rules.customMethods.map { FormMethod(kind, of: name, detail: $0.name, fields: $0.fields) }
        default: [FormMethod(kind, of: name)]
        }
    }
}
