import Latchkey
import LatchkeySystem

extension UnlockContract {
    /// What is released, and what the store's own trouble means.
    func released() async throws {
        let trouble = "another error of what the key opens is thrown as it is, and is no wrong proof"
        try await clause(trouble, .right) { first in
            guard let releasing = first as? any KeyReleasing else { return }
            for _ in 0...(limit?.tries ?? 1) {
                try await expectError("the store's error", where: { $0 == .store(.unavailable) }) {
                    _ = try await releasing.unlock(prompt) { _ in
                        throw AuthError(.store(.unavailable), "the store is not there")
                    }
                }
            }
            try expect(await first.availability() == .available, "it says that it cannot ask")
            _ = try await key(of: releasing)
        }
        guard let limit else { return }
        try await clause("a wrong proof releases no key that opens", .right) { first in
            guard let releasing = first as? any KeyReleasing else { return }
            let right = try await key(of: releasing).key
            guard let wrong = try await limit.again(first, .wrong, context) as? any KeyReleasing else { return }
            let released = Locked<[Secret]>([])
            do {
                _ = try await wrong.unlock(prompt) { [opening] key in
                    released.withLock { $0.append(key.secret) }
                    try await opening(key)
                }
            } catch let error as AuthError where error.code == .refused(.wrongInput) {}
            try expect(released.withLock { !$0.contains(right) }, "the right key was released")
        }
    }
}
