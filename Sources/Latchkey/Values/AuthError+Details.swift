extension AuthError {
    /// What only few errors have, behind a reference: otherwise every place that copies an error would be larger.
    indirect enum Details: Hashable, Sendable {
        case known(transport: TransportError?, missingLibrary: Library?)

        /// Returns `nil` if there is nothing to keep.
        init?(_ transport: TransportError?, _ missingLibrary: Library?) {
            guard transport != nil || missingLibrary != nil else { return nil }
            self = .known(transport: transport, missingLibrary: missingLibrary)
        }
    }

    /// What went wrong with the request, if the error is about one that got no answer.
    public var transport: TransportError? {
        get {
            guard case .known(let transport, _) = details else { return nil }
            return transport
        }
        set { details = Details(newValue, missingLibrary) }
    }

    /// The C library that is not installed, if that is what the error is about.
    public var missingLibrary: Library? {
        get {
            guard case .known(_, let library) = details else { return nil }
            return library
        }
        set { details = Details(transport, newValue) }
    }
}
