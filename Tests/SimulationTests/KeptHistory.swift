import Testing

/// A history that once broke a law, in writing: what its seed stood for changes with what can be drawn.
struct KeptHistory: Sendable, CustomTestStringConvertible {
    /// The law of `Documentation/Internals/Laws.md` that it broke, or whose checker took it for broken.
    var law: Int
    /// What was wrong.
    var name: String
    var schedule: UInt64
    var plan: String

    var testDescription: String { "law \(law): \(name)" }

    static let all = ofTokens + takenOver + gated + ofLife + ofPersons

    private static let ofTokens = [
        KeptHistory(
            law: 5,
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
            law: 2,
            name: "a record whose writer died before it flushed the name was shown, and a power loss took it",
            schedule: 715_940_952,
            plan: """
                strict files trouble=0
                call signIn 0 ada 6 9263992062918815513
                event kill 0 ada 12 8738859115985438001
                call token 1 ada 36 14971169239628781403
                """),
        KeptHistory(
            law: 6,
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
            law: 6,
            name: "the trace took a mark that a worker had made and not used for that of the next refresh",
            schedule: 2_009_929_309,
            plan: """
                strict files trouble=155
                call signIn 0 ada 1 5742528058875589951
                event suspend 1 bob 36 1131728265758102868
                call settle 0 ada 29 3959180209304819980
                call refresh 0 ada 2 16135853666757258925
                event suspend 0 ada 300 16831621852751979553
                call signIn 0 ada 34 5224586037892281358
                call background 0 bob 30 15387194696748982066
                event suspend 1 bob 26 8100932929401427783
                """),
        KeptHistory(
            law: 5,
            name:
                "the checker did not see that an older sign-in had been stored late, and dropped what was owed",
            schedule: 1_830_643_149,
            plan: """
                fixed files every-grant trouble=27
                call signIn 2 bob 32 5074407793192013797
                event diskFull 2 ada 300 5554233417477255001
                call refresh 1 bob 19 10187423956914705422
                call lock 0 bob 20 16805262823554714610
                event passTime 1 ada 10 9933134331614116890
                call refresh 1 ada 300 13324401347356019526
                call answerCode 1 ada 300 14465704350091985132
                event turnWall 1 bob 21 697899272893803823
                event cancel 2 ada 25 8780873237717046447
                both signIn 1 ada 300 3579071113035698793
                event allWell 2 ada 11 17347283305407501564
                call signOut 2 bob 30 4510688422117464284
                call signOut 2 ada 14 17659215442991897183
                """),
        KeptHistory(
            law: 5,
            name: "a sign-out revoked a sign-in that was being stored at that moment, before it stored its end",
            schedule: 1_584_005_894,
            plan: """
                newSuccessor files trouble=0
                call signIn 0 ada 1 6771257960043922376
                event diskFails 0 ada 27 16917550488691462344
                call signOut 0 ada 13 14772382668902558133
                """),
        KeptHistory(
            law: 5,
            name: "a sign-in knew that another process had replaced the former login, whose token was still handed out",
            schedule: 5_657_571_170,
            plan: """
                fixed files trouble=170
                call signIn 2 bob 30 239472696876863005
                both signIn 2 bob 20 10713274885187525724
                call signOut 0 ada 26 11947461869674473831
                event lockHeld 0 ada 22 10628618150925959460
                both token 1 bob 7 7877393619531856383
                """),
        KeptHistory(
            law: 6,
            name: "a mark that the store had taken and said it had not, and that nothing was sent under, interrupted",
            schedule: 4_873_320_924,
            plan: """
                sameSuccessor files trouble=0
                call signIn 1 ada 300 8569462507121146700
                event keyringLosesAnswers 0 ada 300 17089148127238333151
                event clockDrifts 2 ada 22 115269100281542491
                event clockDrifts 0 ada 28 15967116104145275586
                event diskFails 2 bob 4 11570354494288493022
                event endElsewhere 2 ada 27 14928268239476012626
                """),
        KeptHistory(
            law: 6,
            name: "the trace did not know that a process looks past a mark of its own that nothing was sent under",
            schedule: 4_539_234_152,
            plan: """
                newSuccessor files trouble=385
                call signIn 0 bob 13 14518555663007968698
                event diskFails 0 ada 35 5938366782718482982
                """),
        KeptHistory(
            law: 8,
            name: "a neighbour got hold of the store between two readings, and the second person was left out",
            schedule: 18_311_949_313_618_443_996,
            plan: """
                strict files trouble=44
                call signIn 1 bob 37 16004388354258954655
                call signIn 2 ada 38 14683679132136005029
                event diskDenied 2 ada 300 6025607826447496930
                call restore 0 bob 4 18233352527665942309
                event neighbourGetsIn 1 bob 300 3270123866830178790
                """),
        KeptHistory(
            law: 1,
            name:
                "the network took a request for under way that arrived while the machine slept, and its process was killed",
            schedule: 6_437_014_583,
            plan: """
                newSuccessor files every-grant trouble=235
                call signIn 1 ada 300 7461719833142143830
                call refresh 0 ada 15 3080607606184953165
                call adopt 2 bob 16 906523476769707418
                call refresh 1 ada 4 4900209850923184669
                call refresh 1 bob 24 18261993252992290531
                event suspend 0 ada 15 1745043406088143086
                event kill 0 ada 13 2944148993546045984
                """),
        KeptHistory(
            law: 1,
            name: "the same where every reuse ends the family",
            schedule: 6_810_743_869,
            plan: """
                strict files every-grant trouble=36
                call signIn 1 ada 300 10224435926229398956
                event cancel 2 bob 28 10181461772856450288
                call adopt 0 ada 11 9363307228720286792
                event suspend 0 ada 6 16229199233059129516
                event kill 1 ada 19 6748842727877223676
                """),
    ]
}
