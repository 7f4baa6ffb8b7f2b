import Latchkey
import Testing

@testable import LatchkeySimulation

/// A trace as a test wants it.
struct Story: Sendable, CustomTestStringConvertible {
    var name: String
    var replay: ProviderRules.RefreshRule = .killsFamily
    /// The rule that its last line breaks.
    var breaks: LaneTrace.Rule?
    var text: String

    /// With the law that its last line breaks, if there is one.
    var testDescription: String { breaks.map { "law \($0.law): \(name)" } ?? name }

    init(
        _ name: String, under replay: ProviderRules.RefreshRule = .killsFamily, breaks: LaneTrace.Rule? = nil,
        _ parts: String...
    ) {
        self.name = name
        self.replay = replay
        self.breaks = breaks
        text = parts.joined(separator: "\n")
    }

    /// Two processes, and a login in the store that both have read.
    static let begin = """
        0 - boot name=b
        0 P1 start
        0 P2 start
        1 P1 read lane=x
        1 P1 write lane=x write=w1 login=L refresh=n1 token=r1 access=a1
        1 P1 stored lane=x write=w1 v=1
        2 P2 read lane=x v=1 write=w1 login=L refresh=n1 token=r1 access=a1
        """
    /// The first takes the lane and marks.
    static let mark = """
        1000 P1 acquire lane=x
        1000 P1 read lane=x v=1 write=w1 login=L refresh=n1 token=r1 access=a1
        1000 P1 write lane=x over=1 write=w2 login=L refresh=n1 token=r1 access=a1 mark=m1:n1:b:1000:10000
        1000 P1 stored lane=x write=w2 v=2
        """
    /// The same for a request that does more to the token than a refresh.
    static let markWorse = """
        1000 P1 acquire lane=x
        1000 P1 read lane=x v=1 write=w1 login=L refresh=n1 token=r1 access=a1
        1000 P1 write lane=x over=1 write=w2 login=L refresh=n1 token=r1 access=a1 mark=m1:n1:b:1000:10000:worse
        1000 P1 stored lane=x write=w2 v=2
        """
    static let lookWorse = """
        1100 P2 acquire lane=x
        1100 P2 read lane=x v=2 write=w2 login=L refresh=n1 token=r1 access=a1 mark=m1:n1:b:1000:10000:worse
        """
    /// The first comes back to its own mark, which nobody could take out, and marks anew.
    static let markAgain = """
        1003 P1 release lane=x
        1100 P1 acquire lane=x
        1100 P1 read lane=x v=2 write=w2 login=L refresh=n1 token=r1 access=a1 mark=m1:n1:b:1000:10000
        1100 P1 write lane=x over=2 write=w3 login=L refresh=n1 token=r1 access=a1 mark=m2:n1:b:1100:10000
        """
    /// The service refuses what it sends then.
    static let refused = """
        1100 P1 stored lane=x write=w3 v=3
        1100 P1 send refresh=r1
        1101 P1 heard refresh=r1 reply=refused
        1102 P1 read lane=x v=3 write=w3 login=L refresh=n1 token=r1 access=a1 mark=m2:n1:b:1100:10000
        """
    static let send = "1001 P1 send refresh=r1"
    static let hear = "1010 P1 heard refresh=r1 granted=r2 access=a2"
    /// And stores what came.
    static let store = """
        1011 P1 write lane=x over=2 write=w3 login=L refresh=n2 token=r2 access=a2
        1011 P1 stored lane=x write=w3 v=3
        """
    static let release = "1012 P1 release lane=x"
    /// The second looks into a lane that the first died in.
    static let look = """
        1100 P2 acquire lane=x
        1100 P2 read lane=x v=2 write=w2 login=L refresh=n1 token=r1 access=a1 mark=m1:n1:b:1000:10000
        """
    /// The second signs out while the first has a mark.
    static let leave = """
        1005 P2 read lane=x v=2 write=w2 login=L refresh=n1 token=r1 access=a1 mark=m1:n1:b:1000:10000
        1005 P2 write lane=x over=2 write=o1 login=L refresh=n1 ended=L:signedOut pending=L:r1:m1:n1:b:1000:10000
        1006 P2 stored lane=x write=o1 v=o1
        """
    /// The first finds out with the answer in hand.
    static let find = """
        1011 P1 write lane=x over=2 write=w3 login=L refresh=n2 token=r2 access=a2
        1012 P1 read lane=x v=o1 write=o1 login=L refresh=n1 ended=L:signedOut pending=L:r1:m1:n1:b:1000:10000
        """
    /// And owes what it got.
    static let owe = """
        1013 P1 write lane=x over=o1 write=o2 login=L refresh=n1 ended=L:signedOut pending=L:r2
        1013 P1 stored lane=x write=o2 v=o2
        """
    /// The second signs out while nothing is under way.
    static let leaveQuietly = """
        1500 P2 read lane=x v=1 write=w1 login=L refresh=n1 token=r1 access=a1
        1500 P2 write lane=x over=1 write=o1 login=L refresh=n1 ended=L:signedOut pending=L:r1
        1501 P2 stored lane=x write=o1 v=o1
        """
}

extension Story {
    static let allowed = [
        Story(
            "a refresh", begin, mark, send, hear, store, release, "1013 P1 ask call=1", "1013 P1 show call=1 access=a2"),
        Story(
            "not sent", begin, mark, send, "1002 P1 heard refresh=r1 reply=unsent",
            "1002 P1 write lane=x over=2 write=w3 login=L refresh=n1 token=r1 access=a1",
            "1002 P1 stored lane=x write=w3 v=3", "1002 P1 release lane=x"),
        Story(
            "its mark is too old to send under: another one", begin, mark,
            "6000 P1 write lane=x over=2 write=w3 login=L refresh=n1 token=r1 access=a1 mark=m2:n1:b:6000:10000",
            "6000 P1 stored lane=x write=w3 v=3", "6000 P1 send refresh=r1"),
        Story(
            "not sent, and the mark stays: its own process looks past it", begin, mark, send,
            "1002 P1 heard refresh=r1 reply=unsent", markAgain, refused,
            "1103 P1 write lane=x over=3 write=w4 login=L refresh=n1 ended=L:revoked",
            "1103 P1 stored lane=x write=w4 v=4", "1103 P1 release lane=x"),
        Story(
            "the sender dies, the next one waits until its request is over", begin, mark, send, "1002 P1 crash", look,
            "1100 P2 release lane=x", "11000 P2 acquire lane=x",
            "11000 P2 read lane=x v=2 write=w2 login=L refresh=n1 token=r1 access=a1 mark=m1:n1:b:1000:10000",
            "11000 P2 write lane=x over=2 write=v3 login=L refresh=n1 token=r1 access=a1 mark=m2:n1:b:11000:10000",
            "11000 P2 stored lane=x write=v3 v=3", "11000 P2 send refresh=r1",
            "11010 P2 heard refresh=r1 reply=refused",
            "11011 P2 read lane=x v=3 write=v3 login=L refresh=n1 token=r1 access=a1 mark=m2:n1:b:11000:10000",
            "11011 P2 write lane=x over=3 write=v4 login=L refresh=n1 ended=L:interrupted",
            "11011 P2 stored lane=x write=v4 v=4", "11011 P2 release lane=x"),
        Story(
            "the sender dies, and the service answers a replay with the same successor", under: .sameSuccessor, begin,
            mark,
            send, "1002 P1 crash", look,
            "1100 P2 write lane=x over=2 write=v3 login=L refresh=n1 token=r1 access=a1 mark=m2:n1:b:1100:10000 "
                + "rest=b:11000", "1100 P2 stored lane=x write=v3 v=3", "1100 P2 send refresh=r1"),
        Story(
            "a verification moves the token further than a refresh, and its mark says so", under: .sameSuccessor, begin,
            markWorse, "1001 P1 send verify=r1", "1010 P1 heard verify=r1 granted=r3 access=a3",
            "1011 P1 write lane=x over=2 write=w3 login=L refresh=n3 token=r3 access=a3",
            "1011 P1 stored lane=x write=w3 v=3", "1012 P1 release lane=x"),
        Story(
            "refused, and nothing was open before", begin, mark, send, "1002 P1 heard refresh=r1 reply=refused",
            "1003 P1 write lane=x over=2 write=w3 login=L refresh=n1 ended=L:revoked",
            "1003 P1 stored lane=x write=w3 v=3", "1003 P1 release lane=x"),
        Story(
            "a token that does not rotate needs no mark", under: .fixed, begin, "1000 P1 acquire lane=x",
            "1000 P1 read lane=x v=1 write=w1 login=L refresh=n1 token=r1 access=a1", "1000 P1 send refresh=r1",
            "1010 P1 heard refresh=r1 granted=r1 access=a2",
            "1011 P1 write lane=x over=1 write=w3 login=L refresh=n1 token=r1 access=a2",
            "1011 P1 stored lane=x write=w3 v=3", "1011 P1 release lane=x"),
        Story(
            "a sign-out meets a refresh: the answer is owed, then told", begin, mark, send, leave, hear, find, owe,
            "1014 P1 send revoke=r2", "1020 P1 heard revoke=r2 reply=done",
            "1021 P1 write lane=x over=o2 write=o3 login=L refresh=n1 ended=L:signedOut",
            "1021 P1 stored lane=x write=o3 v=o3", "1022 P1 release lane=x"),
        Story(
            "the answer cannot be owed: it is told at once", begin, mark, send, leave, hear, find,
            "1014 P1 send revoke=r2", "1022 P1 release lane=x"),
        Story(
            "a sign-out meets a request whose answer is lost: the worker sends again, and revokes what comes", begin,
            mark, send, leave, "1007 P1 crash", "11500 P2 acquire lane=x",
            "11500 P2 read lane=x v=o1 write=o1 login=L refresh=n1 ended=L:signedOut pending=L:r1:m1:n1:b:1000:10000",
            "11500 P2 write lane=x over=o1 write=w7 login=L refresh=n1 ended=L:signedOut "
                + "pending=L:r1:m7:n1:b:11500:10000", "11500 P2 stored lane=x write=w7 v=w7",
            "11500 P2 send refresh=r1", "11510 P2 heard refresh=r1 granted=r2 access=a2",
            "11511 P2 write lane=x over=w7 write=o2 login=L refresh=n1 ended=L:signedOut pending=L:r2",
            "11511 P2 stored lane=x write=o2 v=o2", "11512 P2 send revoke=r2",
            "11513 P2 heard revoke=r2 reply=done",
            "11513 P2 write lane=x over=o2 write=o3 login=L refresh=n1 ended=L:signedOut",
            "11513 P2 stored lane=x write=o3 v=o3", "11514 P2 release lane=x"),
        Story(
            "another login over an old one", begin,
            "1000 P1 read lane=x v=1 write=w1 login=L refresh=n1 token=r1 access=a1",
            "1000 P1 write lane=x over=1 write=s1 login=M refresh=n9 token=s1 access=b1 ended=L:replaced pending=L:r1",
            "1000 P1 stored lane=x write=s1 v=s1", "1001 P1 send revoke=r1"),
        Story(
            "the write failed, and had taken effect", begin, mark, send, hear,
            "1011 P1 write lane=x over=2 write=w3 login=L refresh=n2 token=r2 access=a2",
            "1012 P1 read lane=x v=3 write=w3 login=L refresh=n2 token=r2 access=a2", "1013 P1 release lane=x"),
        Story(
            "the write failed: shown from memory, stored later, and only then is the lane let go", begin, mark, send,
            hear, "1011 P1 write lane=x over=2 write=w3 login=L refresh=n2 token=r2 access=a2",
            "1012 P1 ask call=1", "1012 P1 show call=1 access=a2 durable=no",
            "2011 P1 write lane=x over=2 write=w4 login=L refresh=n2 token=r2 access=a2",
            "2011 P1 stored lane=x write=w4 v=4", "2012 P1 release lane=x"),
        Story(
            "who asked before the end was known may be answered", begin, leaveQuietly, "1502 P1 ask call=1",
            "1502 P1 read lane=x v=o1 write=o1 login=L refresh=n1 ended=L:signedOut pending=L:r1",
            "1502 P1 show call=1 access=a1"),
        Story(
            "a record that says nothing any more is deleted", begin, mark, send,
            "1002 P1 heard refresh=r1 reply=refused",
            "1003 P1 write lane=x over=2 write=w3 login=L refresh=n1 ended=L:revoked",
            "1003 P1 stored lane=x write=w3 v=3", "1003 P1 release lane=x", "9000 P1 write lane=x over=3",
            "9000 P1 stored lane=x write=delete"),
        Story(
            "after another boot, a mark counts from when it is first seen", begin, mark, send, "1002 P1 crash",
            "1003 P2 crash", "100 - boot name=c", "100 P3 start", "100 P3 acquire lane=x",
            "100 P3 read lane=x v=2 write=w2 login=L refresh=n1 token=r1 access=a1 mark=m1:n1:b:1000:10000",
            "100 P3 release lane=x", "10200 P3 acquire lane=x",
            "10200 P3 read lane=x v=2 write=w2 login=L refresh=n1 token=r1 access=a1 mark=m1:n1:b:1000:10000",
            "10200 P3 write lane=x over=2 write=v3 login=L refresh=n1 token=r1 access=a1 mark=m2:n1:c:10200:10000",
            "10200 P3 stored lane=x write=v3 v=3", "10200 P3 send refresh=r1"),
    ]
}
