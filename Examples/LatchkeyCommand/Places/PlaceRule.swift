import Latchkey
import LatchkeySecretService

extension Option {
    static let store = value(
        "store", "PLACE", .words(SessionPlace.known.map(\.name)),
        "Where the session is kept: encrypted, keyring or file; the keyring if one answers, else files")
}

/// Which place a login takes, and what is demanded of it.
///
/// A profile that has a place keeps it: nothing moves to a weaker one by itself. `LATCHKEY_STORE`, and a file `store` beside
/// the profiles with one of the same words, demand that a place is at least as good; then there is an error instead.
struct PlaceRule: Sendable {
    static let variable = "LATCHKEY_STORE"
    let invocation: Invocation

    /// The place for `profile`, which `known` was before; tells why, where nobody has chosen.
    func choose(_ profile: Profile, known: Profile?) async throws -> SessionPlace {
        let asked = invocation.arguments[.store].map(SessionPlace.init(name:))
        let demanded = try demanded()
        let present = known.map { $0.place ?? .file }
        if let asked, let present, asked != present, try await !Places(invocation, profile, at: present).isEmpty() {
            throw ToolError(
                .configuration(.changed), "error.placeOther",
                [
                    "profile": profile.name, "place": present.name,
                    "command": "latchkey store migrate --to \(asked.name)",
                ])
        }
        let place: SessionPlace
        if let chosen = asked ?? present { place = chosen } else { place = try await usual(demanded) }
        try check(place, demanded, profile)
        return place
    }

    /// Refuses a profile whose place is weaker than what is demanded.
    func check(_ profile: Profile) throws { try check(profile.place ?? .file, try demanded(), profile) }

    private func check(_ place: SessionPlace, _ demanded: SessionPlace?, _ profile: Profile) throws {
        guard let demanded, !place.isAsGood(as: demanded) else { return }
        throw ToolError(
            .configuration(.invalid), "error.placeWeak",
            [
                "profile": profile.name, "place": place.name, "variable": Self.variable, "demanded": demanded.name,
                "command": "latchkey store migrate --to \(demanded.name)",
            ])
    }

    /// Where nobody says anything: what is demanded; else the keyring, where one answers; else private files.
    private func usual(_ demanded: SessionPlace?) async throws -> SessionPlace {
        if let demanded, demanded != .file { return demanded }
        let keyring = SecretServiceKeyring(application: "latchkey", context: invocation.world)
        guard await keyring.availability() == .available else { return .file }
        // A locked one has a window of its own to be unlocked by, which nobody has asked for.
        return (try? await keyring.isLocked()) == false ? .keyring : .file
    }

    private func demanded() throws -> SessionPlace? {
        var places: [SessionPlace] = []
        for (text, origin) in [
            (
                invocation.environment[Self.variable],
                ToolText("origin.variable", ["variable": Self.variable])
            ),
            (try invocation.profiles().demandedPlace(), ToolText("origin.file")),
        ] {
            guard let text, !text.isEmpty else { continue }
            guard let place = SessionPlace.known.first(where: { $0.name == text }) else {
                throw ToolError(
                    .configuration(.invalid), "error.placeDemanded",
                    ["places": SessionPlace.known.map(\.name).joined(separator: ", ")], parts: ["origin": origin])
            }
            places.append(place)
        }
        return places.max { !$0.isAsGood(as: $1) }
    }
}
