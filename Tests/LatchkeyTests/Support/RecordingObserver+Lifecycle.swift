import Latchkey
import LatchkeyTesting

extension RecordingObserver {
    /// The refusals, in order.
    var refusals: [AuthObservation] {
        observations.filter { if case .refusal = $0 { true } else { false } }
    }

    /// What was observed of required sign-ins and of returns, in order.
    var returns: [AuthObservation] {
        observations.filter { observation in
            switch observation {
            case .signInRequired, .reauthentication: true
            default: false
            }
        }
    }

    /// The first tokens.
    var firstTokens: [AuthObservation] {
        observations.filter { if case .firstToken = $0 { true } else { false } }
    }

    /// The store's failures.
    var storeFailures: [AuthObservation] {
        observations.filter { if case .storeFailure = $0 { true } else { false } }
    }

    /// The waits for turns.
    var lockWaits: [AuthObservation] {
        observations.filter { if case .lockWait = $0 { true } else { false } }
    }

    /// The prompts for the unlock.
    var unlocks: [AuthObservation] {
        observations.filter { if case .unlock = $0 { true } else { false } }
    }

    /// The sign-ins that ended.
    var signIns: [AuthObservation] {
        observations.filter { if case .signIn = $0 { true } else { false } }
    }
}
