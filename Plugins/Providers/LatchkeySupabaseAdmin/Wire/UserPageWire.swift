import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore
import LatchkeySupabase

/// One page of users.
struct UserPage: Sendable {
    /// The users on this page.
    let users: [SupabaseUser]
    /// The number of the next page; `nil` if this is the last one.
    let next: Int?

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - number: The number of the page, from 1.
    ///   - size: How many users were asked for. The service may give fewer.
    ///   - count: How many users came before.
    init(
        _ json: JSON, _ fields: HeaderFields, number: Int, size: Int, after count: Int
    ) throws(JSONError) {
        let list = JSONField(json)["users"]
        var users: [SupabaseUser] = []
        if list.value != .null {
            for field in try list.array() {
                do throws(JSONError) {
                    users.append(try SupabaseUser(field.value ?? .null))
                } catch {
                    throw JSONError(error.code, at: field.path + error.path.dropFirst())
                }
            }
        }
        self.users = users
        let links = fields.all("Link").flatMap(Self.links)
        if users.isEmpty {
            next = nil
        } else if let link = links.first(where: { $0.relation == "next" }) {
            // A link back would never end, and a link further on would leave users out.
            guard link.page == number + 1 else { throw JSONError(.numberRange, at: "Link") }
            next = link.page
        } else if links.contains(where: { $0.relation == "last" }) {
            next = nil
        } else if let total = fields["X-Total-Count"].flatMap({ Int($0) }) {
            next = count + users.count < total ? number + 1 : nil
        } else {
            next = users.count >= size ? number + 1 : nil
        }
    }

    /// Returns the pages that a `Link` field (RFC 8288) names. Its addresses are paths behind the
    /// gateway, so they are never requested.
    private static func links(_ field: String) -> [(relation: String, page: Int?)] {
        guard field.utf8.count <= 8_192 else { return [] }
        return field.split(separator: "<", omittingEmptySubsequences: false).dropFirst().compactMap { part in
            let target = part.prefix { $0 != ">" }
            let rest = part.dropFirst(target.count)
            guard let relation = ["next", "last"].first(where: { rest.contains("rel=\"\($0)\"") }) else { return nil }
            let query = target.drop { $0 != "?" }.dropFirst().prefix { $0 != "#" }
            return (relation, FormEncoding.decode(query)?["page"].flatMap { Int($0) })
        }
    }
}
