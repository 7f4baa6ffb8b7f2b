import Latchkey
import LatchkeyCrypto
import LatchkeyPassphrase

/// A process that guesses as often as it is let, and says how often that was: `guess-member FOLDER TIMES`.
@main struct GuessMember {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 2, let times = Int(arguments[1]) else {
            print("Usage: guess-member FOLDER TIMES")
            return
        }
        let unlock = PassphraseUnlock(limit: AttemptLimit(in: arguments[0])) { _ in Secret("a guess") }
        var guesses = 0
        for _ in 0..<times {
            do {
                _ = try await unlock.unlock(UnlockPrompt(reason: "Guess")) { _ in
                    // What a store would look at, for as long as that takes: else the others would hardly meet it.
                    print("guess")
                    _ = try Scrypt.derive(
                        passphrase: Array("a guess".utf8), salt: Array("salt".utf8), cost: 1 << 15, blockSize: 8,
                        parallelization: 1, length: 32, memoryLimit: 64 << 20)
                    throw AuthError(.refused(.wrongInput), "wrong")
                }
            } catch let error as AuthError where error.code == .refused(.wrongInput) {
                guesses += 1
            } catch let error as AuthError where error.code == .unlockUnavailable(.lockedOut) {
                continue
            } catch {
                print("failed: \(error)")
            }
        }
        print("guesses=\(guesses)")
    }
}
