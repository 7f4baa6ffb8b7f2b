import FoundationEssentials
import Latchkey
import LatchkeyJSON

/// An observation as a line of JSON.
struct GazetteLine {
    private static let longest = 200
    /// The line, with its line feed.
    let bytes: [UInt8]

    init(_ observation: AuthObservation, at time: Date) {
        var members: [String: JSON] = ["event": .string(observation.name), "time": .number(time.timeIntervalSince1970)]
        for field in observation.fields { members[field.name] = Self.value(of: field.value) }
        bytes = JSON.object(members).serialized() + [0x0A]
    }

    /// The line that says how many lines are missing here.
    init(dropped: Int) {
        bytes = JSON.object(["event": "dropped", "lines": .integer(Int64(dropped))]).serialized() + [0x0A]
    }

    private static func value(of field: AuthObservation.FieldValue) -> JSON {
        switch field {
        // A service may have chosen the text, so it may be of any length.
        case .text(let text): .string(String(text.prefix(longest)))
        case .number(let number): .integer(Int64(number))
        case .seconds(let duration): .number(seconds(of: duration))
        case .truth(let truth): .bool(truth)
        case .none: .null
        @unknown default: .null
        }
    }

    private static func seconds(of duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
