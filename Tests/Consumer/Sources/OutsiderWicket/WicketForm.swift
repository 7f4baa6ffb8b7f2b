import Latchkey

/// The form of a question.
struct WicketForm: Sendable {
    let ticket: Secret
    private let ask: Ask

    /// `nil` for a question that a form cannot ask.
    init?(_ ask: Ask, ticket: String) {
        switch ask {
        case .code, .totp, .backupCode, .password, .choose: self.ask = ask
        default: return nil
        }
        self.ticket = Secret(ticket)
    }

    /// The form, with what belongs to no other question.
    var html: String {
        """
        <form method=post><input type=hidden name=ticket value="\(ticket.revealText())">\(input)
        <button name=say value=answer>Answer</button> <button name=say value=no>No</button></form>
        """
    }

    private var input: String {
        switch ask {
        case .password: "<label>Password <input type=password name=answer></label>"
        case .choose(let options):
            options.enumerated().map { number, option in
                "<label><input type=radio name=answer value=\"\(number)\">\(Self.escaped(option.label))</label>"
            }.joined()
        default: "<label>Code <input name=answer autocomplete=one-time-code></label>"
        }
    }

    /// Returns the answer that the form's values say; `nil` if they say none.
    func answer(_ values: [String: String]) -> Answer? {
        if values["say"] == "no" { return .declined }
        guard values["say"] == "answer", let typed = values["answer"], !typed.isEmpty else { return nil }
        switch ask {
        case .password: return .password(Secret(typed))
        case .choose(let options):
            guard let number = Int(typed), options.indices.contains(number) else { return nil }
            return .choice(options[number].id)
        default: return .code(Secret(typed))
        }
    }

    private static func escaped(_ text: String) -> String {
        text.map { "&<>\"'".contains($0) ? "&#\($0.unicodeScalars.first?.value ?? 0x3F);" : String($0) }.joined()
    }

    /// Reads `application/x-www-form-urlencoded`. A name that comes twice has no value.
    static func values(_ body: [UInt8]) -> [String: String] {
        var values: [String: String] = [:]
        var twice: Set<String> = []
        for pair in body.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = decoded(parts[0])
            if values.updateValue(parts.count > 1 ? decoded(parts[1]) : "", forKey: name) != nil { twice.insert(name) }
        }
        return values.filter { !twice.contains($0.key) }
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        var decoded: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                decoded.append(value)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}
