extension AuthError {
    /// What only few errors have, behind a reference: otherwise every place that copies an error would be larger.
    indirect enum Details: Hashable, Sendable {
        case known(Parts)

        struct Parts: Hashable, Sendable {
            var transport: TransportError?
            var missingLibrary: Library?
            var foreign: ForeignAnswer?
            var serviceText: ServiceText?
        }
    }

    /// What went wrong with the request, if the error is about one that got no answer.
    public var transport: TransportError? {
        get { parts.transport }
        set { parts.transport = newValue }
    }

    /// The C library that is not installed, if that is what the error is about.
    public var missingLibrary: Library? {
        get { parts.missingLibrary }
        set { parts.missingLibrary = newValue }
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
