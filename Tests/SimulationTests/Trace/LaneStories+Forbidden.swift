import Latchkey

@testable import LatchkeySimulation

extension Story {
    static let forbidden = [
        Story("two hold the lane", breaks: .exclusion, begin, mark, "1001 P2 acquire lane=x"),
        Story(
            "a mark outside of the lane", breaks: .withoutLock, begin,
            "1000 P1 write lane=x over=1 write=w2 login=L refresh=n1 token=r1 access=a1 mark=m1:n1:b:1000:10000"),
        Story(
            "a request after the lane was let go", breaks: .withoutLock, begin, mark, release, "1013 P1 send refresh=r1"
        ),
        Story(
            "a write over a version that was not seen", breaks: .staleBase, begin, mark,
            "1001 P2 write lane=x over=2 write=o1 login=L refresh=n1 ended=L:signedOut pending=L:r1:m1:n1:b:1000:10000"),
        Story(
            "a write over nothing, where nothing was not seen", breaks: .staleBase, begin,
            "1001 P2 write lane=x write=s1 login=M refresh=n9 token=s1"),
        Story(
            "a record that nobody wrote", breaks: .foreignRecord, begin,
            "1000 P2 read lane=x v=7 write=w7 login=L refresh=n1 token=r7 access=a7"),
        Story(
            "a write that came out as another record", breaks: .foreignRecord, begin,
            "1000 P2 read lane=x v=1 write=w1 login=L refresh=n1 token=r1 access=a7"),
        Story(
            "a request without a mark", breaks: .unmarked, begin, "1000 P1 acquire lane=x",
            "1000 P1 read lane=x v=1 write=w1 login=L refresh=n1 token=r1 access=a1", "1000 P1 send refresh=r1"),
        Story(
            "a request whose mark was not stored", breaks: .unmarked, begin, "1000 P1 acquire lane=x",
            "1000 P1 write lane=x over=1 write=w2 login=L refresh=n1 token=r1 access=a1 mark=m1:n1:b:1000:10000",
            "1000 P1 send refresh=r1"),
        Story(
            "a token that is not stored is sent from memory", breaks: .unmarked, begin, mark, send, hear,
            "1020 P1 send refresh=r2"),
        Story(
            "a mark for another token", breaks: .foreignRecord, begin, "1000 P1 acquire lane=x",
            "1000 P1 write lane=x over=1 write=w2 login=L refresh=n1 token=r1 access=a1 mark=m1:n7:b:1000:10000"),
        Story(
            "twice under one mark", breaks: .sentTwice, begin, mark, send, "1002 - over token=r1",
            "1003 P1 send refresh=r1"),
        Story(
            "a worker's mark is not the next refresh's", breaks: .unmarked, begin, mark, send, leave, "1007 P1 crash",
            "11500 P2 acquire lane=x",
            "11500 P2 read lane=x v=o1 write=o1 login=L refresh=n1 ended=L:signedOut pending=L:r1:m1:n1:b:1000:10000",
            "11500 P2 write lane=x over=o1 write=w7 login=L refresh=n1 ended=L:signedOut "
                + "pending=L:r1:m7:n1:b:11500:10000", "11500 P2 stored lane=x write=w7 v=w7", "22000 P2 release lane=x",
            "22000 P2 acquire lane=x",
            "22000 P2 read lane=x v=w7 write=w7 login=L refresh=n1 ended=L:signedOut "
                + "pending=L:r1:m7:n1:b:11500:10000",
            "22000 P2 send refresh=r1"),
        Story(
            "a mark over one whose request may be under way", breaks: .heldOff, begin, mark, send, "1002 P1 crash",
            look,
            "1100 P2 write lane=x over=2 write=v3 login=L refresh=n1 token=r1 access=a1 mark=m2:n1:b:1100:10000"),
        Story(
            "the answer is lost, and its own process looks past the mark", breaks: .heldOff, begin, mark, send,
            "1002 P1 heard refresh=r1 reply=nothing", markAgain),
        Story(
            "the same, where the service makes a new successor", under: .newSuccessor, breaks: .heldOff, begin, mark,
            send,
            "1002 P1 crash", look,
            "1100 P2 write lane=x over=2 write=v3 login=L refresh=n1 token=r1 access=a1 mark=m2:n1:b:1100:10000"),
        Story(
            "the worker does not wait", breaks: .heldOff, begin, mark, send, leave, "1007 P1 crash",
            "1500 P2 acquire lane=x",
            "1500 P2 read lane=x v=o1 write=o1 login=L refresh=n1 ended=L:signedOut pending=L:r1:m1:n1:b:1000:10000",
            "1500 P2 write lane=x over=o1 write=w7 login=L refresh=n1 ended=L:signedOut "
                + "pending=L:r1:m7:n1:b:1500:10000"),
        Story(
            "the worker sends and does not mark it", breaks: .unmarked, begin, mark, send, leave, "1007 P1 crash",
            "11500 P2 acquire lane=x",
            "11500 P2 read lane=x v=o1 write=o1 login=L refresh=n1 ended=L:signedOut pending=L:r1:m1:n1:b:1000:10000",
            "11500 P2 send refresh=r1"),
        Story(
            "a mark is taken off what is owed", breaks: .unowed, begin, mark, send, leave, "1007 P1 crash",
            "11500 P2 acquire lane=x",
            "11500 P2 write lane=x over=o1 write=w7 login=L refresh=n1 ended=L:signedOut pending=L:r1"),
        Story(
            "after another boot, a mark of the former one is believed", breaks: .heldOff, begin, mark, send,
            "1002 P1 crash", "1003 P2 crash", "60000 - boot name=c", "60000 P3 start", "60000 P3 acquire lane=x",
            "60000 P3 read lane=x v=2 write=w2 login=L refresh=n1 token=r1 access=a1 mark=m1:n1:b:1000:10000",
            "60001 P3 write lane=x over=2 write=v3 login=L refresh=n1 token=r1 access=a1 mark=m2:n1:c:60001:10000"),
        Story(
            "a worker dies, and the next one does not wait for its request", breaks: .heldOff, begin, mark, send,
            leave, "1007 P1 crash", "11500 P2 acquire lane=x",
            "11500 P2 read lane=x v=o1 write=o1 login=L refresh=n1 ended=L:signedOut pending=L:r1:m1:n1:b:1000:10000",
            "11500 P2 write lane=x over=o1 write=w7 login=L refresh=n1 ended=L:signedOut "
                + "pending=L:r1:m7:n1:b:11500:10000", "11500 P2 stored lane=x write=w7 v=w7",
            "11500 P2 send refresh=r1", "11600 P2 crash", "12000 P3 start", "12000 P3 acquire lane=x",
            "12000 P3 read lane=x v=w7 write=w7 login=L refresh=n1 ended=L:signedOut "
                + "pending=L:r1:m7:n1:b:11500:10000",
            "12000 P3 write lane=x over=w7 write=w8 login=L refresh=n1 ended=L:signedOut "
                + "pending=L:r1:m8:n1:b:12000:10000"),
        Story(
            "a request that may take longer than anybody believes", breaks: .underWay, begin,
            "1000 P1 acquire lane=x",
            "1000 P1 write lane=x over=1 write=w2 login=L refresh=n1 token=r1 access=a1 mark=m1:n1:b:1000:300000",
            "1000 P1 stored lane=x write=w2 v=2", send, "1002 P1 release lane=x",
            "130000 P2 acquire lane=x",
            "130000 P2 read lane=x v=2 write=w2 login=L refresh=n1 token=r1 access=a1 mark=m1:n1:b:1000:300000",
            "130000 P2 write lane=x over=2 write=v3 login=L refresh=n1 token=r1 access=a1 mark=m2:n1:b:130000:10000",
            "130000 P2 stored lane=x write=v3 v=3", "130000 P2 send refresh=r1"),
        Story(
            "a fast replay without a rest", under: .sameSuccessor, breaks: .rest, begin, mark, send, "1002 P1 crash",
            look,
            "1100 P2 write lane=x over=2 write=v3 login=L refresh=n1 token=r1 access=a1 mark=m2:n1:b:1100:10000"),
        Story(
            "a verification under the mark of a refresh", under: .sameSuccessor, breaks: .unmarked, begin, mark,
            "1001 P1 send verify=r1"),
        Story(
            "a fast refresh after a verification whose answer is lost", under: .sameSuccessor, breaks: .heldOff, begin,
            markWorse, "1001 P1 send verify=r1", "1002 P1 crash", lookWorse,
            "1100 P2 write lane=x over=2 write=v3 login=L refresh=n1 token=r1 access=a1 "
                + "mark=m2:n1:b:1100:10000:worse rest=b:11000"),
        Story(
            "what a verification may have done is forgotten", under: .sameSuccessor, breaks: .cleared, begin,
            markWorse, "1001 P1 send verify=r1", "1002 P1 crash", lookWorse,
            "11000 P2 write lane=x over=2 write=v3 login=L refresh=n1 token=r1 access=a1 mark=m2:n1:b:11000:10000"),
        Story(
            "a successor that should rest", under: .sameSuccessor, breaks: .rest,
            "0 - boot name=b", "0 P1 start", "1000 P1 acquire lane=x",
            "1000 P1 read lane=x v=1 write=w1 login=L refresh=n1 token=r1 access=a1 rest=b:5000",
            "1000 P1 write lane=x over=1 write=w2 login=L refresh=n1 token=r1 access=a1 mark=m1:n1:b:1000:10000 rest=b:5000"
        ),
        Story(
            "a mark is taken out though its request left", breaks: .cleared, begin, mark, send,
            "1002 P1 heard refresh=r1 reply=nothing",
            "1002 P1 write lane=x over=2 write=w3 login=L refresh=n1 token=r1 access=a1"),
        Story(
            "not sent, and an earlier mark goes with it", breaks: .cleared, begin, mark, send, "1002 P1 crash", look,
            "11000 P2 write lane=x over=2 write=v3 login=L refresh=n1 token=r1 access=a1 mark=m2:n1:b:11000:10000",
            "11000 P2 stored lane=x write=v3 v=3", "11000 P2 send refresh=r1",
            "11001 P2 heard refresh=r1 reply=unsent",
            "11001 P2 write lane=x over=3 write=v4 login=L refresh=n1 token=r1 access=a1"),
        Story(
            "somebody else's mark is taken out", breaks: .cleared, begin, mark,
            "1005 P2 read lane=x v=2 write=w2 login=L refresh=n1 token=r1 access=a1 mark=m1:n1:b:1000:10000",
            "1005 P2 write lane=x over=2 write=v3 login=L refresh=n1 token=r1 access=a1"),
        Story(
            "a credential that nobody was given", breaks: .unheard, begin, mark, send,
            "1011 P1 write lane=x over=2 write=w3 login=L refresh=n2 token=r2 access=a2"),
        Story(
            "an answer is stored and its mark left", breaks: .unheard, begin, mark, send, hear,
            "1011 P1 write lane=x over=2 write=w3 login=L refresh=n2 token=r2 access=a2 mark=m1:n1:b:1000:10000"),
        Story(
            "ended without a refusal", breaks: .unbelieved, begin, mark, send,
            "1002 P1 heard refresh=r1 reply=nothing",
            "1003 P1 write lane=x over=2 write=w3 login=L refresh=n1 ended=L:interrupted"),
        Story(
            "ended as interrupted by a mark that nothing was sent under", breaks: .unbelieved, begin, mark, send,
            "1002 P1 heard refresh=r1 reply=unsent", markAgain, refused,
            "1103 P1 write lane=x over=3 write=w4 login=L refresh=n1 ended=L:interrupted"),
        Story(
            "ended as interrupted, and nothing was open", breaks: .unbelieved, begin, mark, send,
            "1002 P1 heard refresh=r1 reply=refused",
            "1003 P1 write lane=x over=2 write=w3 login=L refresh=n1 ended=L:interrupted"),
        Story(
            "signed out, and nothing owed", breaks: .unowed, begin,
            "1005 P2 write lane=x over=1 write=o1 login=L refresh=n1 ended=L:signedOut"),
        Story(
            "signed out, and the mark is lost", breaks: .unowed, begin, mark, send,
            "1005 P2 read lane=x v=2 write=w2 login=L refresh=n1 token=r1 access=a1 mark=m1:n1:b:1000:10000",
            "1005 P2 write lane=x over=2 write=o1 login=L refresh=n1 ended=L:signedOut pending=L:r1"),
        Story(
            "signed in over another login, and the old one is not owed", breaks: .unowed, begin,
            "1005 P2 write lane=x over=1 write=s1 login=M refresh=n9 token=s1 access=b1 ended=L:replaced"),
        Story("deleted while somebody is signed in", breaks: .unowed, begin, "1005 P2 write lane=x over=1"),
        Story(
            "an entry goes that nobody paid", breaks: .unpaid, begin, leaveQuietly,
            "1502 P2 write lane=x over=o1 write=o2 login=L refresh=n1 ended=L:signedOut"),
        Story(
            "an entry gives way to another request's answer", breaks: .unpaid, begin, mark, send, leave, hear, find,
            "1013 P1 write lane=x over=o1 write=o2 login=L refresh=n1 ended=L:signedOut pending=L:r7"),
        Story(
            "a login comes back", breaks: .comeback, begin, leaveQuietly,
            "1502 P2 write lane=x over=o1 write=w9 login=L refresh=n1 token=r1 access=a1 ended=L:signedOut "
                + "pending=L:r1"),
        Story(
            "an end is forgotten", breaks: .forgotten, begin, leaveQuietly,
            "1502 P2 write lane=x over=o1 write=o2 login=L refresh=n1 pending=L:r1"),
        Story("a good token is revoked", breaks: .revokedLive, begin, mark, send, hear, "1011 P1 send revoke=r2"),
        Story(
            "a good token is owed", breaks: .revokedLive, begin,
            "1005 P2 write lane=x over=1 write=w9 login=L refresh=n1 token=r1 access=a1 pending=L:r1"),
        Story("the lane is let go with an answer in memory", breaks: .unstored, begin, mark, send, hear, release),
        Story(
            "the lane is let go, and what a late answer brought is not owed", breaks: .unstored, begin, mark, send,
            leave, hear, find, "1013 P1 release lane=x"),
        Story(
            "shown as durable before it is stored", breaks: .early, begin, mark, send, hear, "1011 P1 ask call=1",
            "1011 P1 show call=1 access=a2"),
        Story(
            "shown, and it came after the end of its login", breaks: .shownEnded, begin, mark, send,
            "1002 P1 ask call=1",
            leave, hear, "1011 P1 show call=1 access=a2 durable=no"),
        Story(
            "shown by who signed it out", breaks: .shownEnded, begin, leaveQuietly, "1502 - quiet",
            "1502 P2 ask call=1", "1502 P2 show call=1 access=a1"),
        Story(
            "shown by who began after the end", breaks: .shownEnded, begin, leaveQuietly, "1502 P3 start",
            "1502 P3 ask call=1", "1502 P3 show call=1 access=a1"),
    ]
}
