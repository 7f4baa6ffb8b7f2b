public import Latchkey

/// What the person types to sign in, sign up, recover an account or link a way to sign in.
///
/// A value without any I/O. The password is kept as a ``/Latchkey/Secret`` and never trimmed: spaces
/// at its ends belong to it. Addresses lose the spaces that keyboards add at their ends.
public struct SignInForm: Sendable {
    /// What the form is for.
    public var purpose = ModelPurpose.signIn
    /// The ways to sign in that are offered.
    public private(set) var methods: [FormMethod]
    /// The chosen way. As long as none was chosen, it is the first one that takes what was typed so far; before anything was
    /// typed, the first of all.
    public var method: FormMethod? {
        get { chosen ?? methods.first { $0.inputs.isSuperset(of: typed) } ?? methods.first }
        set { chosen = newValue }
    }
    private var chosen: FormMethod?
    /// The address, phone number or user name, as typed.
    public var identifier = ""
    /// The domain of the organization, as typed.
    public var domain = ""
    /// The password, as typed.
    public private(set) var password = Secret("")
    /// The values of the fields, by name: those of a provider's own method, or of a new account.
    public private(set) var fields: [String: Secret] = [:]
    /// Whether the password is shown in clear text. ``clear()`` and every use of the form hide it again.
    public var isPasswordShown = false
    /// Whether caps lock is on, as the window system says.
    public var isCapsLockOn = false
    /// What an identifier is.
    public let identifierKind: ModelOptions.IdentifierKind
    /// What the service demands of a new password.
    public let passwordRules: PasswordRules
    /// The further fields of a new account.
    public let signUpFields: [Ask.Field]
    /// Whether a new account gets a password at once.
    public let signUpAsksPassword: Bool

    /// Creates an empty form.
    public init(methods: [FormMethod], _ options: ModelOptions = ModelOptions()) {
        self.methods = methods
        identifierKind = options.identifierKind
        passwordRules = options.passwordRules
        signUpFields = options.signUpFields
        signUpAsksPassword = options.signUpAsksPassword
    }

    /// Takes the password as it stands in the text field.
    public mutating func setPassword(_ text: String) { password = Secret(text) }

    /// Takes the value of a field as it stands in the text field.
    public mutating func set(_ field: String, _ text: String) { fields[field] = Secret(text) }

    /// Empties every text field, for the button that clears them.
    public mutating func clear() {
        (identifier, domain) = ("", "")
        wipe()
    }

    /// Lets go of every secret, whose memory is then overwritten, and hides the password again.
    public mutating func wipe() {
        password = Secret("")
        fields = [:]
        isPasswordShown = false
    }

    /// The password in clear text while the person wants to see it, otherwise `nil`.
    public var shownPassword: String? { isPasswordShown ? password.revealText() : nil }

    /// What was typed so far.
    private var typed: Set<FormMethod.Input> {
        var typed: Set<FormMethod.Input> = []
        if !Self.trimmed(identifier).isEmpty { typed.insert(.identifier) }
        if !password.isEmpty { typed.insert(.password) }
        if !Self.trimmed(domain).isEmpty { typed.insert(.domain) }
        if !fields.isEmpty { typed.insert(.fields) }
        return typed
    }

    static func trimmed(_ text: String) -> String {
        guard let first = text.firstIndex(where: { !$0.isWhitespace }),
            let last = text.lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(text[first...last])
    }
}
