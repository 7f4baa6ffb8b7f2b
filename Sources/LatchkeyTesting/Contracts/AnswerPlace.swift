import Latchkey
import LatchkeyJSON
import LatchkeySystem

/// A place in a service's answer: the way from the whole answer to one value.
struct AnswerPlace: Hashable {
    /// One step of the way.
    enum Step: Hashable {
        case member(String), element(Int)
        /// From the text of a JSON Web Token to its claims.
        case claims
    }

    var steps: [Step] = []

    func adding(_ step: Step) -> AnswerPlace { AnswerPlace(steps: steps + [step]) }

    /// Whether the place is among the claims of a token, and which token it is.
    var token: AnswerPlace? {
        steps.firstIndex(of: .claims).map { AnswerPlace(steps: Array(steps[..<$0])) }
    }

    /// The name of the member that it is.
    var name: String? {
        if case .member(let name)? = steps.last { name } else { nil }
    }
}

extension JSON {
    /// Every value that holds no other, with its place. A token's claims count as well as the token itself.
    var places: [(place: AnswerPlace, value: JSON)] { places(at: AnswerPlace()) }

    private func places(at place: AnswerPlace) -> [(place: AnswerPlace, value: JSON)] {
        switch self {
        case .object(let members):
            return members.sorted { $0.key < $1.key }.flatMap { $1.places(at: place.adding(.member($0))) }
        case .array(let elements):
            return elements.enumerated().flatMap { $1.places(at: place.adding(.element($0))) }
        case .string(let text):
            let claims = JSON.claims(of: text)?.places(at: place.adding(.claims)) ?? []
            return [(place, self)] + claims
        default: return [(place, self)]
        }
    }

    /// Returns it with another value at the place; `nil` leaves the value out. If there is no such place, nothing changes.
    func replacing(_ place: AnswerPlace, with value: JSON?) -> JSON {
        replacing(place.steps[...], with: value) ?? .null
    }

    private func replacing(_ steps: ArraySlice<AnswerPlace.Step>, with value: JSON?) -> JSON? {
        guard let step = steps.first else { return value }
        let rest = steps.dropFirst()
        switch (step, self) {
        case (.member(let name), .object(var members)):
            guard let member = members[name] else { return self }
            members[name] = member.replacing(rest, with: value)
            return .object(members)
        case (.element(let index), .array(var elements)) where elements.indices.contains(index):
            let new = elements[index].replacing(rest, with: value)
            elements.replaceSubrange(index...index, with: new.map { [$0] } ?? [])
            return .array(elements)
        case (.claims, .string(let text)):
            guard let claims = JSON.claims(of: text)?.replacing(rest, with: value) else { return self }
            var parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            parts[1] = Base64Alphabet.url.encode(claims.serialized(), padded: false)
            return .string(parts.joined(separator: "."))
        default: return self
        }
    }

    /// The claims of a JSON Web Token; `nil` if the text is none.
    private static func claims(of text: String) -> JSON? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64Alphabet.url.decode(Array(parts[1])[...]),
            let claims = try? JSON.parse(bytes), claims.object != nil
        else { return nil }
        return claims
    }
}
