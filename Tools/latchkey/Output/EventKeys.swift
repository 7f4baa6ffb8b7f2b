import Latchkey

extension AuthError.SignInRequiredReason {
    /// The text of an event for this reason.
    var eventKey: String {
        switch self {
        case .signedOut: "event.required.signedOut"
        case .refused: "event.required.refused"
        case .refusedWithoutReason: "event.required.refusedWithoutReason"
        case .interrupted: "event.required.interrupted"
        case .expired: "event.required.expired"
        case .banned: "event.required.banned"
        case .factorRequired: "event.required.factorRequired"
        case .notAccepted: "event.required.notAccepted"
        }
    }
}

extension UnlockAvailability {
    /// The text of the event that it has changed to this.
    var eventKey: String {
        switch self {
        case .available: "event.availability.available"
        case .notEnrolled: "event.availability.notEnrolled"
        case .lockedOut: "event.availability.lockedOut"
        case .invalidated: "event.availability.invalidated"
        case .missing: "event.availability.missing"
        }
    }
}
