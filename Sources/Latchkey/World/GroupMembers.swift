/// The users and groups of the machine, as its files say (passwd(5), group(5)).
///
/// The C library may ask a directory service for them, which can block for minutes and needs a network. This asks none,
/// and knows nothing where the files may not be the whole truth.
package struct GroupMembers: Sendable {
    private struct User {
        var name: String
        var number: UInt32
        var group: UInt32
    }

    private static let sizeLimit = 1 << 20
    /// The files of the sources that are files (nsswitch.conf(5)); the C library reads the same.
    private static let places = ["files": "/etc", "altfiles": "/usr/lib"]
    /// Sources that add no user to a group of the files: accounts of containers and of services that run.
    private static let others: Set<String> = ["systemd", "mymachines"]

    private var users: [User] = []
    private var groups: [(number: UInt32, members: [String])] = []

    /// Reads the two files; `nil` if they say that there is more elsewhere (the `+` of NIS).
    package init?(passwd: String, group: String) {
        guard let users = Self.fields(passwd), let groups = Self.fields(group) else { return nil }
        self.users = users.compactMap { fields in
            guard fields.count >= 4, let number = UInt32(fields[2]), let group = UInt32(fields[3]) else { return nil }
            return User(name: fields[0], number: number, group: group)
        }
        self.groups = groups.compactMap { fields in
            guard fields.count >= 4, let number = UInt32(fields[2]) else { return nil }
            return (number, fields[3].utf8.split(separator: UInt8(ascii: ",")).map { String(Substring($0)) })
        }
    }

    /// The fields of each line, by bytes: a letter that joins the mark before it must not hide that mark.
    private static func fields(_ text: String) -> [[String]]? {
        var lines: [[String]] = []
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            guard line.first != UInt8(ascii: "+"), line.first != UInt8(ascii: "-") else { return nil }
            lines.append(
                line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { String(Substring($0)) }
            )
        }
        return lines
    }

    /// Returns what the machine's files say; `nil` if they are not all that the C library would ask.
    package static func system(_ files: any FileAccess) -> GroupMembers? {
        func text(_ path: String) throws -> String? {
            try files.read(path, limit: sizeLimit).map { String(decoding: $0, as: UTF8.self) }
        }
        do {
            let sources = sources(in: try text("/etc/nsswitch.conf") ?? "")
            var (passwd, group) = ("", "")
            for source in sources {
                if let place = places[source] {
                    passwd += try text("\(place)/passwd") ?? ""
                    group += try text("\(place)/group") ?? ""
                } else if source == "sss" {
                    // Many systems name it without having it.
                    guard try files.status("/var/lib/sss/pipes/nss") == nil, try files.list("/etc/sssd/conf.d").isEmpty,
                        try files.status("/etc/sssd/sssd.conf") == nil
                    else { return nil }
                } else if !others.contains(source) {
                    return nil
                }
            }
            return GroupMembers(passwd: passwd, group: group)
        } catch {
            return nil
        }
    }

    /// The sources that `nsswitch.conf` names for users and groups.
    package static func sources(in text: String) -> Set<String> {
        var found: Set<String> = []
        var named: Set<String> = []
        for line in text.split(separator: "\n") {
            let words = line.prefix { $0 != "#" }.split { ":[] \t".contains($0) }.map(String.init)
            guard let database = words.first, ["passwd", "group", "initgroups"].contains(database) else { continue }
            named.insert(database)
            // What is in brackets says only when the next one is asked.
            found.formUnion(words.dropFirst().filter { !$0.contains("=") })
        }
        return named.isSuperset(of: ["passwd", "group"]) ? found : found.union(["files"])
    }

    /// Whether `group` is the group of the user's account, or root's, and only that user and root are in it.
    ///
    /// A user without an account has no group of its own: others may run without one too.
    package func isPrivate(_ group: UInt32, to user: UInt32) -> Bool {
        let own = users.filter { $0.number == user }
        guard own.contains(where: { $0.group == group }) || (group == 0 && user == 0) else { return false }
        let trusted = Set(users.filter { $0.number == user || $0.number == 0 }.map(\.name))
        return users.allSatisfy { $0.group != group || $0.number == user || $0.number == 0 }
            && groups.allSatisfy { $0.number != group || trusted.isSuperset(of: $0.members) }
    }

    /// Returns the name of a user, for people; `nil` if the files have none.
    package func name(of user: UInt32) -> String? { users.first { $0.number == user }?.name }
}
