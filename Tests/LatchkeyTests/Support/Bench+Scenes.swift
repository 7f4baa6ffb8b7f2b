import Latchkey
import LatchkeyJSON
import LatchkeyTesting

extension Bench {
    /// A bench whose access token has ended, and the process that is signed in on it.
    static func ended(_ rules: ProviderRules = .scripted()) async throws -> (Bench, AuthClient) {
        let bench = Bench(rules: rules)
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_600))
        return (bench, auth)
    }

    /// Makes the record what a process leaves that is killed while it waits for an answer: nothing in it says that nobody
    /// waits.
    func forgetLeaving() async throws {
        try await store.change { members in
            members["mark"] = Self.withoutLeaving(members["mark"])
            members["pending"] = members["pending"]?.array.map { entries in
                .array(
                    entries.map { entry in
                        guard var entry = entry.object else { return entry }
                        entry["mark"] = Self.withoutLeaving(entry["mark"])
                        return .object(entry)
                    })
            }
        }
    }

    private static func withoutLeaving(_ mark: JSON?) -> JSON? {
        guard var mark = mark?.object else { return mark }
        mark["left"] = nil
        return .object(mark)
    }

    /// A token that `auth` was given, and that the store did not take: it takes nothing before `failCommits(nil)`.
    func unsavedToken(of auth: AuthClient) async throws -> AccessToken {
        let held = try await service.hold { try await auth.accessToken() }
        store.failCommits(AuthError(.store(.full), "no space"))
        held.answer()
        return try await held.value
    }

    /// Takes the lane of the only record and lets it go. Throws if somebody has it.
    func expectFreeLock() async throws {
        let key = try await store.onlyRecord().key
        try await store.lock(key, deadline: .seconds(1)).release()
    }
}
