import Latchkey
import Testing

/// The kinds of services that people sign in at here.
enum Dialect: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case supabase, clerk, cognito, oauth

    /// Those that take a password here. The others send the person to a page of their own.
    static let withPassword: [Dialect] = [.supabase, .clerk, .cognito]

    var provider: ProviderID { ProviderID(rawValue) }
    var testDescription: String { rawValue }

    /// Who has an account from the start: Ada has a password only, Grace an authenticator app too.
    enum Person: String, Sendable { case ada, grace, new }

    func address(_ person: Person) -> String {
        switch self {
        case .clerk: "\(person.rawValue)+clerk_test@example.test"
        default: "\(person.rawValue)@example.test"
        }
    }

    func password(_ person: Person) -> String { "\(person.rawValue)-password" }
}
