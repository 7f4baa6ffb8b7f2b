import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeySupabase
import LatchkeyTesting

/// Something that a person does at Supabase.
struct PersonFlow: Sendable {
    typealias Step = @Sendable (WalkedPerson) async throws -> Void

    enum Kind: Sendable {
        /// Nobody is signed in before, somebody is afterwards.
        case signIn
        /// The session lives on.
        case use
        /// The session lives on at another refresh token, which the service forgives only for its interval.
        case proof
        /// The session ends.
        case signOut
    }

    var name: String
    var kind: Kind
    /// What was done before, with everything well.
    var prepare: Step
    /// What the person does.
    var act: Step
    /// What the person does after an error; `nil` for the same.
    var again: Step?
    /// Whether the service has done it.
    var isDone: @Sendable (WalkedPerson) async -> Bool
    /// What the path of the request ends with whose lost answer the service forgives only for its interval; `nil` if
    /// there is none.
    var forgivenFor: String?
    /// Whether a sign-in asks for the person's further factor.
    var asksForFactors = false
}

extension PersonFlow {
    static let all = signIns + uses + proofs + signOuts
}
