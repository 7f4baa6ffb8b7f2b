extension AuthError {
    /// What only few errors have, behind a reference: otherwise every place that copies an error would be larger.
    indirect enum Details: Hashable, Sendable {
        case known(Parts)

        struct Parts: Hashable, Sendable {
            var transport: TransportError?
            var missingLibrary: Library?
            var clockDifference: Duration?
            var foreign: ForeignAnswer?
            var serviceText: ServiceText?
            var refusedTokens: RefusedTokens?
            var isAnswerLost = false
            var isRevocationRefused = false
            var mayBeAttack: Bool?
            var insecurePlace: InsecurePlace?
        }
    }

    /// What went wrong with the request, if the error is about one that got no answer.
    public var transport: TransportError? {
        get { parts.transport }
        set { parts.transport = newValue }
    }

    /// If a signed document is not accepted because of its times: by how much this machine's clock is behind, if the
    /// document is fresh; negative if the clock is ahead.
    public var clockDifference: Duration? {
        get { parts.clockDifference }
        set { parts.clockDifference = newValue }
    }

    /// The C library that is not installed, if that is what the error is about.
    public var missingLibrary: Library? {
        get { parts.missingLibrary }
        set { parts.missingLibrary = newValue }
    }

    /// The directory that others could change, if that is what the error is about.
    package internal(set) var insecurePlace: InsecurePlace? {
        get { parts.insecurePlace }
        set { parts.insecurePlace = newValue }
    }

    /// The answer that something else gave in place of the service, if that is what the error is about.
    public var foreign: ForeignAnswer? {
        get { parts.foreign }
        set { parts.foreign = newValue }
    }

    /// What the service says about its refusal, for the person. Never log it.
    public var serviceText: ServiceText? {
        get { parts.serviceText }
        set { parts.serviceText = newValue }
    }

    /// What became of the tokens that came with the answer, if the error is that the answer is refused. ``message`` says
    /// it too.
    public private(set) var refusedTokens: RefusedTokens? {
        get { parts.refusedTokens }
        set { parts.refusedTokens = newValue }
    }

    /// Whether a request had left that may have spent what was sent, such as a code or the approval of a device, and its
    /// answer is lost. The service may have acted, and what it granted is lost with the answer: begin the sign-in anew.
    public var isAnswerLost: Bool {
        get { parts.isAnswerLost }
        set { parts.isAnswerLost = newValue }
    }

    /// Sets ``isAnswerLost``, and says so in a sentence of its own.
    mutating func noteLostAnswer() {
        isAnswerLost = true
        message += " The request had left, so what it carried may be spent, and its answer is lost: begin anew."
    }

    /// Adds what became of the tokens that came, as a sentence of its own.
    package mutating func add(_ fate: RefusedTokens) {
        guard refusedTokens == nil else { return }
        refusedTokens = fate
        message += (message.hasSuffix(".") ? " " : ". ") + fate.text(in: .english) + "."
    }

    /// ``message`` without what it says of ``refusedTokens``.
    package var messageWithoutTokens: String {
        guard let fate = refusedTokens else { return message }
        let added = " \(fate.text(in: .english))."
        return message.hasSuffix(added) ? String(message.dropLast(added.count)) : message
    }

    /// Whether somebody may have interfered. By default, that depends on the code: an answer without the form that the
    /// protocol requires is the service's own doing.
    public var mayBeAttack: Bool {
        get { parts.mayBeAttack ?? code.mayBeAttack }
        set { parts.mayBeAttack = newValue }
    }

    /// Whether the service refuses a revocation to this client for good. Set beside `configuration(.unsupported)`.
    package var isRevocationRefused: Bool {
        get { parts.isRevocationRefused }
        set { parts.isRevocationRefused = newValue }
    }

    /// Returns the error with what the service says about it.
    public func saying(_ text: ServiceText?) -> AuthError {
        guard let text else { return self }
        var error = self
        error.serviceText = text
        return error
    }

    private var parts: Details.Parts {
        get {
            guard case .known(let parts) = details else { return Details.Parts() }
            return parts
        }
        set { details = newValue == Details.Parts() ? nil : .known(newValue) }
    }
}

extension AuthError.Code {
    fileprivate var mayBeAttack: Bool {
        guard case .untrusted(let reason) = self else { return false }
        return switch reason {
        case .state, .issuer, .signature, .nonce, .subject, .redirect, .tls: true
        case .claims, .malformed: false
        }
    }
}
