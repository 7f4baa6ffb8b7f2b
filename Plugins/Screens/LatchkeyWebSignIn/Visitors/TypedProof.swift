public import Latchkey
import LatchkeySystem

/// What a person typed on the lock screen, for the authenticator of that browser's client.
///
/// Give ``next()`` to the authenticator in place of a prompt. It is called while the page's form is handled, so it
/// never waits.
public final class TypedProof: Sendable {
    private let typed = Locked<Secret?>(nil)

    init() {}

    /// Takes what was typed; `nil` if the person said no, or nobody has typed anything.
    public func next() -> Secret? {
        typed.withLock { typed in
            defer { typed = nil }
            return typed
        }
    }

    func put(_ proof: Secret?) { typed.withLock { $0 = proof } }
}
