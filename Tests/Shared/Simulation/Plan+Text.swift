import LatchkeyTesting

/// A plan in writing. What a seed stands for changes whenever something new can be drawn; what is written here does not.
extension Plan {
    /// The scenario, then a line for each step: `strict files`, `both token 0 ada 12 81985529216486895`.
    package var text: String {
        let words =
            [scenario.kind.rawValue, scenario.isOnDisk ? "files" : "keyring"]
            + (scenario.gate == .none ? [] : [scenario.gate.rawValue])
            + (scenario.endsEveryGrant ? ["every-grant"] : []) + (scenario.sharesSessions ? ["by-session"] : [])
            + (scenario.reuse.map { ["reuse=\($0)"] } ?? []) + ["trouble=\(scenario.trouble)"]
        return ([words.joined(separator: " ")] + steps.map(\.text)).joined(separator: "\n")
    }

    /// Reads ``text``; `nil`: it is none.
    package init?(_ text: String) {
        var lines = text.split(separator: "\n")[...]
        let words = lines.popFirst()?.split(separator: " ").map(String.init) ?? []
        guard words.count > 2, let kind = SimulatedService.Kind(rawValue: words[0]),
            let trouble = words.last.flatMap({ $0.hasPrefix("trouble=") ? Int($0.dropFirst(8)) : nil })
        else { return nil }
        scenario = Scenario(
            kind: kind, isOnDisk: words[1] == "files",
            gate: words.lazy.compactMap(GateKind.init(rawValue:)).first ?? .none,
            endsEveryGrant: words.contains("every-grant"), sharesSessions: words.contains("by-session"),
            reuse: words.lazy.compactMap { $0.hasPrefix("reuse=") ? Int($0.dropFirst(6)) : nil }.first, trouble: trouble
        )
        steps = []
        for line in lines {
            guard let step = Step(line) else { return nil }
            steps.append(step)
        }
    }
}

extension Step {
    fileprivate var text: String {
        let deed =
            switch deed {
            case .call(let call): "call \(call.rawValue)"
            case .both(let call): "both \(call.rawValue)"
            case .event(let event): "event \(event.rawValue)"
            }
        return "\(deed) \(slot) \(person) \(patience) \(seed)"
    }

    fileprivate init?(_ line: Substring) {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 6, let slot = Int(words[2]), (0..<3).contains(slot), History.people.contains(words[3]),
            let patience = Int(words[4]), let seed = UInt64(words[5])
        else { return nil }
        switch words[0] {
        case "call": guard let call = Call(rawValue: words[1]) else { return nil }; deed = .call(call)
        case "both": guard let call = Call(rawValue: words[1]) else { return nil }; deed = .both(call)
        case "event": guard let event = Event(rawValue: words[1]) else { return nil }; deed = .event(event)
        default: return nil
        }
        (self.slot, person, self.patience, self.seed) = (slot, words[3], patience, seed)
    }
}
