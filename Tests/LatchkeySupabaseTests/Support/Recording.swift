import Latchkey
import LatchkeyJSON
import RecordedGoTrue

extension RecordedExchange {
    /// What was sent, where it is JSON.
    var sent: JSON { body ?? .null }
    var location: String { response.fields["Location"] ?? "" }
    var isRefresh: Bool { url.hasSuffix("/token?grant_type=refresh_token") }

    /// The same without a member of the answer, `a.b` being `b` of `a`, or without a parameter of the redirect.
    func without(_ member: String) throws -> RecordedExchange {
        var copy = self
        if location.isEmpty {
            let path = member.split(separator: ".").map(String.init)
            copy.response.body = try JSON.parse(response.body).without(path[...]).serialized()
        } else {
            let kept = location.split(separator: "?", omittingEmptySubsequences: false).map { part in
                part.split(separator: "#", omittingEmptySubsequences: false).map { part in
                    part.split(separator: "&").filter { !$0.hasPrefix("\(member)=") }.joined(separator: "&")
                }.joined(separator: "#")
            }
            copy.response.fields["Location"] = kept.joined(separator: "?")
        }
        return copy
    }
}

extension JSON {
    fileprivate func without(_ path: ArraySlice<String>) -> JSON {
        // The members of a list are all alike.
        if let elements = array { return .array(elements.map { $0.without(path) }) }
        guard var members = object, let first = path.first else { return self }
        members[first] = path.count == 1 ? nil : members[first]?.without(path.dropFirst())
        return .object(members)
    }
}
