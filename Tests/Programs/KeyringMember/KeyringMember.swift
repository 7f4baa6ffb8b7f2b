import Latchkey
import LatchkeySecretService
import LatchkeyTesting

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A process that uses the keyring on the bus of its argument: for a store's contract of several processes, or to count so
/// often over what is there.
@main struct KeyringMember {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let address = arguments.first ?? ""
        let words = Array(arguments.dropFirst())
        if words.count == 2, let count = Int(words[1]) {
            _ = try await CountingMember.count(count, in: Self.store(at: address, in: words[0]))
            return
        }
        let isOrdered = await StoreProcessContract.runMember { Self.store(at: address, in: $0) }
        if !isOrdered { print("Usage: keyring-member ADDRESS [FOLDER COUNT]") }
    }

    private static func store(at address: String, in folder: String) -> SecretServiceStore {
        SecretServiceStore(
            SecretServiceKeyring(application: "test\(folder)", busAddress: address), locksIn: "\(folder)/locks")
    }
}
