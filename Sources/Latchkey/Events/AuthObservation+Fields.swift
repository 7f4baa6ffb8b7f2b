extension AuthObservation {
    /// One field of an observation.
    public struct Field: Hashable, Sendable {
        /// The name, such as `provider`.
        public let name: String
        /// The value.
        public let value: FieldValue

        init(_ name: String, _ value: FieldValue) {
            self.name = name
            self.value = value
        }
    }

    /// What a field holds.
    @nonexhaustive
    public enum FieldValue: Hashable, Sendable {
        /// A name from a closed set, an origin, a host, or the name of a provider.
        case text(String)
        /// A number without a unit.
        case number(Int)
        /// How long something took.
        case seconds(Duration)
        /// Yes or no.
        case truth(Bool)
        /// Not known, or there is none.
        case none

        init(_ text: String?) { self = text.map(FieldValue.text) ?? .none }
        init(_ number: Int?) { self = number.map(FieldValue.number) ?? .none }
    }

    /// What happened, as `LogObserver` names it: `request`, `refresh`, and so on.
    public var name: String {
        switch self {
        case .request: "request"
        case .retry: "retry"
        case .refresh: "refresh"
        case .heldOff: "heldOff"
        case .store: "store"
        case .storeFailure: "storeFailure"
        case .lockWait: "lockWait"
        case .refusal: "refusal"
        case .signIn: "signIn"
        case .furtherProof: "furtherProof"
        case .signInRequired: "signInRequired"
        case .reauthentication: "reauthentication"
        case .firstToken: "firstToken"
        case .signOut: "signOut"
        case .gate: "gate"
        case .unlock: "unlock"
        case .startedOver: "startedOver"
        case .pins: "pins"
        case .idTokenPassedOver: "idTokenPassedOver"
        case .integrity: "integrity"
        }
    }

    /// The observation's fields, in the order of the table of `LogObserver`. For observers that pass everything on.
    public var fields: [Field] {
        switch self {
        case .request(let method, let origin, let status, let took):
            [
                Field("method", .text(method)), Field("origin", .text(origin)), Field("status", FieldValue(status)),
                Field("seconds", .seconds(took)),
            ]
        case .retry(let method, let origin, let status, let wait):
            [
                Field("method", .text(method)), Field("origin", .text(origin)), Field("status", FieldValue(status)),
                Field("wait", .seconds(wait)),
            ]
        case .refresh(let provider, let outcome, let took):
            [
                Field("provider", .text(provider.name)), Field("outcome", .text(outcome.rawValue)),
                Field("seconds", .seconds(took)),
            ]
        case .heldOff(let provider, let wait):
            [Field("provider", .text(provider.name)), Field("wait", .seconds(wait))]
        case .store(let kind, let operation, let outcome, let took):
            [
                Field("kind", .text(kind.rawValue)), Field("operation", .text(operation.rawValue)),
                Field("outcome", .text(outcome.rawValue)), Field("seconds", .seconds(took)),
            ]
        case .storeFailure(let kind, let operation, let code):
            [
                Field("kind", .text(kind.rawValue)), Field("operation", .text(operation.rawValue)),
                Field("reason", .text(code.name)),
            ]
        case .lockWait(let lock, let outcome, let took):
            [
                Field("lock", .text(lock.rawValue)), Field("outcome", .text(outcome.rawValue)),
                Field("seconds", .seconds(took)),
            ]
        case .refusal(let origin, let cause):
            [Field("class", .text(origin.name)), Field("cause", .text(cause.rawValue))]
        case .signIn(let provider, let method, let failure, let took):
            [
                Field("provider", .text(provider.name)), Field("method", FieldValue(method?.rawValue)),
                Field("failure", FieldValue(failure?.name)), Field("seconds", .seconds(took)),
            ]
        case .furtherProof(let what, let provider, let method, let failure, let took):
            [
                Field("what", .text(what.rawValue)), Field("provider", .text(provider.name)),
                Field("method", FieldValue(method?.rawValue)), Field("failure", FieldValue(failure?.name)),
                Field("seconds", .seconds(took)),
            ]
        case .signInRequired(let provider, let reason):
            [Field("provider", .text(provider.name)), Field("reason", .text(reason.rawValue))]
        case .reauthentication(let reason, let who, let after):
            [
                Field("reason", .text(reason.rawValue)), Field("by", .text(who.rawValue)),
                Field("seconds", .seconds(after)),
            ]
        case .firstToken(let source, let took):
            [Field("source", .text(source.rawValue)), Field("seconds", .seconds(took))]
        case .signOut(let provider, let outcome):
            [Field("provider", .text(provider.name)), Field("outcome", .text(outcome.rawValue))]
        case .gate(let locked): [Field("locked", .truth(locked))]
        case .startedOver: []
        case .unlock(let choice, let kind, let failure, let took):
            [
                Field("choice", .text(choice.rawValue)), Field("kind", FieldValue(kind?.rawValue)),
                Field("failure", FieldValue(failure?.name)), Field("seconds", .seconds(took)),
            ]
        case .pins(let host, let outcome, let seen):
            [
                Field("host", .text(host)), Field("outcome", .text(outcome.rawValue)),
                Field("seen", FieldValue(seen?.base64)),
            ]
        case .idTokenPassedOver(let provider, let fault):
            [Field("provider", .text(provider.name)), Field("fault", .text(fault.rawValue))]
        case .integrity(let kind): [Field("finding", .text(kind.rawValue))]
        }
    }
}
