import FoundationEssentials
@testable import Latchkey
import LatchkeyOAuth
import LatchkeyOAuthCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension FuzzTarget {
    /// The challenges of a resource, one header per line.
    static let challenges = FuzzTarget(name: "www-authenticate", longest: 2_048) { bytes throws(Disagreement) in
        var fields = HeaderFields()
        var earlier = 0
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        for line in lines.prefix(8) {
            fields.add("WWW-Authenticate", String(line))
            let found = AuthenticationChallenge.all(in: fields)
            try demand(found.count >= earlier && found.count <= AuthenticationChallenge.most, "challenges are lost")
            earlier = found.count
        }
        for challenge in AuthenticationChallenge.all(in: fields) { try demandSound(challenge) }
        let provider = OAuthProvider(issuer: "https://id.example", clientID: "app")
        for status in [200, 401, 403, 503] {
            let verdict = provider.verdict(on: TransportResponse(status: status, fields: fields))
            switch verdict {
            case .accepted: try demand(status != 401, "a 401 is passed on as good")
            case .rejected: try demand(status == 401, "HTTP \(status) costs a refresh")
            case .insufficient(let more):
                try demand(status == 401 || status == 403, "HTTP \(status) costs a sign-in")
                try demand(more.maxAge.map { $0 >= .zero } ?? true, "a proof would have to be younger than now")
            case .otherwise: try demand(status == 401, "HTTP \(status) asks for another scheme")
            @unknown default: break
            }
        }
    }

    private static func demandSound(_ challenge: AuthenticationChallenge) throws(Disagreement) {
        let isToken = { (text: String) in
            !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"()<>@,;:\\\"/[]?={}".utf8.contains($0) }
        }
        try demand(
            ([challenge.scheme] + challenge.parameters.keys).allSatisfy {
                isToken($0) && Bytes.lowercased($0.utf8).elementsEqual($0.utf8)
            }, "a name of a challenge is no token in lower case")
        try demand(challenge.token68 == nil || challenge.parameters.isEmpty, "a challenge has both forms")
        var text = challenge.scheme
        if let blob = challenge.token68 { text += " \(blob)" }
        text += challenge.parameters.map { name, value in
            let escaped = value.utf8.flatMap { byte -> [UInt8] in
                byte == 0x22 || byte == 0x5C ? [0x5C, byte] : [byte]
            }
            return " \(name)=\"\(String(decoding: escaped, as: UTF8.self))\""
        }.joined(separator: ",")
        guard text.utf8.count <= 8_192 else { return }
        try demand(
            AuthenticationChallenge.all(in: ["WWW-Authenticate": text]) == [challenge],
            "a challenge that is written is read as another one")
    }

    /// Header fields with times and durations, one field per line. The parsed values must be within bounds.
    static let headers = FuzzTarget(name: "headers", longest: 512) { bytes throws(Disagreement) in
        let fields = HostileAnswer(Array("200\n".utf8) + bytes + Array("\n\n".utf8)).response.fields
        let now = AnswerRules.now
        try demand(AnswerRules.isWait(RetryAfter.read(fields, now: now)), "a wait is out of bounds")
        try demand(
            (Freshness.floor...Freshness.ceiling).contains(Freshness.of(fields)), "a document is kept too long")
        if let offset = ServerClock.offset(fields, wall: now) {
            try demand(abs(offset.inSeconds) < 3e11, "a clock is off by more than ten thousand years")
        }
        for value in fields.lines.map(\.value) {
            guard let date = HTTPDate.read(value, now: now) else { continue }
            try demand(HTTPDate.read(HTTPDate.text(date), now: now) == date, "a date is read again as another one")
            try demandSameDate(value, date)
        }
    }

    /// Checks that the C library reads the same date from the preferred format.
    private static func demandSameDate(_ text: String, _ date: Date) throws(Disagreement) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard words.count == 6, words[3].utf8.count == 4, let day = Int32(words[1]), let year = Int32(words[3]),
            let month = months.firstIndex(of: String(words[2])), case let clock = words[4].split(separator: ":"),
            case let numbers = clock.compactMap({ Int32($0) }), numbers.count == 3
        else { return }
        var parts = tm()
        (parts.tm_mday, parts.tm_mon, parts.tm_year) = (day, Int32(month), year - 1_900)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[0], numbers[1], numbers[2])
        try demand(Double(timegm(&parts)) == date.timeIntervalSince1970, "the C library makes another date")
        try demand(parts.tm_mday == day || numbers[2] == 60, "a day is read that does not exist")
    }
}
