import Testing

/// A history that once broke a law, in writing: what its seed stood for changes with what can be drawn.
struct KeptHistory: Sendable, CustomTestStringConvertible {
    /// What was wrong.
    var name: String
    var schedule: UInt64
    var plan: String

    var testDescription: String { name }

    static let all = [
        KeptHistory(
            name: "who asked after another process had signed in anew was told what became of the old login's refresh",
            schedule: 618_172_978,
            plan: """
                mints files trouble=365
                call signIn 1 ada 38 1973719537841141031
                call signIn 1 ada 300 5767176234294573798
                call signIn 2 bob 39 4273100550609458282
                call signOut 1 bob 300 2636549998943837426
                both signIn 1 ada 300 734212488703186664
                call signIn 1 ada 39 7221490193046173715
                both refresh 1 ada 10 10557052220626393884
                """),
        KeptHistory(
            name: "a record whose writer died before it flushed the name was shown, and a power loss took it",
            schedule: 715_940_952,
            plan: """
                strict files trouble=0
                call signIn 0 ada 6 9263992062918815513
                event kill 0 ada 12 8738859115985438001
                call token 1 ada 36 14971169239628781403
                """),
        KeptHistory(
            name: "the trace did not know a mark that the store had taken and said it had not",
            schedule: 565_424_519,
            plan: """
                strict files trouble=165
                call signIn 1 ada 300 11642928477573419144
                event powerLoss 0 ada 15 3982903171735371335
                call signOut 1 ada 22 235523043916347082
                event diskFails 2 ada 17 6199732079975658184
                call answerCode 0 ada 26 1803463954044410293
                event kill 1 ada 300 14397998065318551319
                """),
        KeptHistory(
            name: "the checker of law 12 took a process for locked that had been opened again",
            schedule: 1_192_427_182,
            plan: """
                newSuccessor files gate trouble=0
                call signIn 2 bob 28 16844192074028104543
                event turnWall 2 ada 12 6631154923766149119
                event keyringSlow 2 ada 33 16062944510373220340
                both token 0 ada 28 14396934617151703526
                call lock 2 bob 0 545611113724973243
                call unlock 2 ada 7 10162500969612973816
                """),
        KeptHistory(
            name: "a sign-out revoked a sign-in that was being stored at that moment, before it stored its end",
            schedule: 1_584_005_894,
            plan: """
                newSuccessor files trouble=0
                call signIn 0 ada 1 6771257960043922376
                event diskFails 0 ada 27 16917550488691462344
                call signOut 0 ada 13 14772382668902558133
                """),
    ]
}
