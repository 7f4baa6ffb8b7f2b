import Testing

@testable import Latchkey

@Suite("Who is in a group") struct GroupMembersTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var passwd = "root:x:0:0::/root:/bin/sh\nada:x:1000:1000:Ada,,,:/home/ada:/bin/sh\n"
        var group = "root:x:0:\nada:x:1000:\n"
        var asked: UInt32 = 1_000
        var user: UInt32 = 1_000
        var isPrivate = false
    }

    static let rows = [
        Row(testDescription: "a user's own group", isPrivate: true),
        Row(testDescription: "its user listed in it", group: "ada:x:1000:ada\n", isPrivate: true),
        Row(testDescription: "root listed too", group: "ada:x:1000:ada,root\n", isPrivate: true),
        Row(testDescription: "another listed", group: "ada:x:1000:ada,eve\n"),
        Row(testDescription: "another listed in a second line of the number", group: "ada:x:1000:\nx:x:1000:eve\n"),
        Row(
            testDescription: "another's primary group",
            passwd: "ada:x:1000:1000::/:/bin/sh\neve:x:1001:1000::/:/bin/sh\n"),
        Row(
            testDescription: "another of the same name",
            passwd: "ada:x:1000:1000::/:/bin/sh\nada:x:1001:1000::/:/bin/sh\n"),
        Row(testDescription: "a group that is not the user's", group: "team:x:50:ada\n", asked: 50),
        Row(testDescription: "a user without an account", passwd: "root:x:0:0::/root:/bin/sh\n"),
        Row(testDescription: "no accounts at all", passwd: "", group: ""),
        Row(testDescription: "root's group, for root", asked: 0, user: 0, isPrivate: true),
        Row(
            testDescription: "root's group, of an account without one of its own",
            passwd: "root:x:0:0::/:/bin/sh\n1000680000:x:1000680000:0::/:/sbin/nologin\n", asked: 0,
            user: 1_000_680_000, isPrivate: true),
        Row(
            testDescription: "root's group with a system account in it",
            passwd: "root:x:0:0::/:/bin/sh\noperator:x:11:0::/:/sbin/nologin\n", asked: 0, user: 0),
        Row(testDescription: "NIS beside the file", passwd: "ada:x:1000:1000::/:/bin/sh\n+::::::\n"),
        Row(testDescription: "NIS beside the groups", group: "ada:x:1000:\n+\n"),
        Row(testDescription: "a mark hidden by a joining letter", group: "ada:x:1000:ada,\u{301}eve\n"),
        Row(
            testDescription: "lines that end in a carriage return",
            passwd: "ada:x:1000:1000::/:/bin/sh\r\neve:x:1001:1000::/:/bin/sh\r\n"),
    ]

    @Test("a group is private if only its user and root are in it, and whatever is not certain is not", arguments: rows)
    func judged(row: Row) {
        let members = GroupMembers(passwd: row.passwd, group: row.group)
        #expect((members?.isPrivate(row.asked, to: row.user) ?? false) == row.isPrivate)
    }

    @Test(
        "the sources that nsswitch.conf names are known, and without it there are the files",
        arguments: [
            ("passwd: files systemd\ngroup: files [SUCCESS=merge] systemd\n", ["files", "systemd"]),
            ("passwd:sss files # x ldap\ngroup:\tfiles\nhosts: dns", ["sss", "files"]),
            ("passwd: files\ngroup: files\ninitgroups: ldap", ["files", "ldap"]),
            ("passwd: ldap\n", ["ldap", "files"]), ("", ["files"]),
        ])
    func sources(text: String, expected: [String]) {
        #expect(GroupMembers.sources(in: text) == Set(expected))
    }
}
