import Latchkey
import LatchkeySecretService

extension Option {
    static let store = value(
        "store", "PLACE", .words(SessionPlace.known.map(\.name)),
        "Where the session is kept: encrypted, keyring or file; the keyring if one answers, else files")
}

/// Decides where a login keeps its session, and whether that is safe enough.
///
/// A profile keeps its place and never moves to a weaker one by itself. `LATCHKEY_STORE`, or the same word in a
/// file `store` beside the profiles, sets a minimum. A weaker place is an error then.
struct PlaceRule: Sendable {
    static let variable = "LATCHKEY_STORE"
    let invocation: Invocation

    /// Returns the place for `profile`, which was `known` before. Says why, if nobody has chosen it.
    func choose(_ profile: Profile, known: Profile?) async throws -> SessionPlace {
        let asked = invocation.arguments[.store].map(SessionPlace.init(name:))
        let demanded = try demanded()
        let present = known.map { $0.place ?? .file }
        if let asked, let present, asked != present, try await !Places(invocation, profile, at: present).isEmpty() {
            throw ToolError(
                .configuration(.changed), "error.placeOther",
                [
                    "profile": profile.name,
                    "command": invocation.line("store migrate --to \(asked.name)", for: profile.name),
                ], parts: ["place": present.words])
        }
        let place: SessionPlace
        if let chosen = asked ?? present { place = chosen } else { place = try await usual(demanded) }
        try check(place, demanded, profile)
        return place
    }

    /// Throws if the profile's place is weaker than the minimum.
    func check(_ profile: Profile) throws { try check(profile.place ?? .file, try demanded(), profile) }

    private func check(_ place: SessionPlace, _ demanded: SessionPlace?, _ profile: Profile) throws {
        guard let demanded, !place.isAsGood(as: demanded) else { return }
        throw ToolError(
            .configuration(.invalid), "error.placeWeak",
            [
                "profile": profile.name, "place": place.name, "variable": Self.variable, "demanded": demanded.name,
                "command": invocation.line("store migrate --to \(demanded.name)", for: profile.name),
            ])
    }

    /// Returns the default: the minimum if there is one, else the keyring if one answers, else private files.
    private func usual(_ demanded: SessionPlace?) async throws -> SessionPlace {
        if let demanded, demanded != .file { return demanded }
        let keyring = SecretServiceKeyring(application: "latchkey", context: invocation.world)
        guard await keyring.availability() == .available else { return .file }
        // A locked keyring would open a window that the person did not ask for.
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
