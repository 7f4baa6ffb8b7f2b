/// A crowd that signs in at once.
struct Crowd {
    static let password = "a long enough password"

    static func address(_ number: Int) -> String { "person\(number)@example.test" }

    init(_ settings: Settings) {}

    func run() async throws {}
}
