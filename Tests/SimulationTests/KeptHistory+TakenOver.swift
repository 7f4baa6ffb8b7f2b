/// Sessions that were taken over from another client.
extension KeptHistory {
    static let takenOver = [
        KeptHistory(
            law: 14,
            name: "a sign-out waited without end for a sign-in that was being stored twice at once, beside an adoption",
            schedule: 3_291_714_487,
            plan: """
                strict files trouble=30
                call signIn 1 ada 12 9922517063644055138
                call lock 2 ada 34 5769965954305972988
                event lockHeld 0 ada 33 12301209593845993379
                event kill 2 bob 300 7115339763963491633
                both signIn 0 ada 6 12443251116325462990
                call switchAccount 2 ada 300 8757703302821111486
                both signOut 1 ada 2 5952784698865991121
                event kill 0 bob 20 7266429717643102446
                call adopt 1 ada 11 9195838296244053739
                """),
        KeptHistory(
            law: 5,
            name: "an adoption dropped a revocation that was owed, where one ends every grant",
            schedule: 3_539_690_053,
            plan: """
                sameSuccessor keyring every-grant trouble=292
                call signIn 2 ada 9 13797159871314032586
                call adopt 2 ada 11 10569061838998306986
                event turnWall 0 ada 18 9170410804567788145
                both adopt 1 ada 4 855752287602125397
                call signOut 0 ada 31 16295914139105822145
                """),
        KeptHistory(
            law: 5,
            name: "a session was taken over again after its sign-out, which the service knew by then",
            schedule: 3_305_493_547,
            plan: """
                mints keyring trouble=365
                call signIn 2 ada 300 1859076753319027069
                call adopt 0 ada 5 12228831420546622292
                call request 2 ada 17 9168914388339527921
                event clockDrifts 0 ada 11 13155917503754153882
                call signOut 0 ada 16 8426526870389237344
                call adopt 1 ada 300 17058055857584462940
                """),
        KeptHistory(
            law: 5,
            name: "the same on a credential that others share",
            schedule: 1_454_847_004,
            plan: """
                shares keyring trouble=290
                call signIn 0 bob 300 15758727814241781234
                both token 1 ada 39 12907403099946942677
                call signOut 1 ada 2 557681021797241848
                call signOut 2 ada 1 13681116860692471787
                call lock 2 ada 24 10469416995262952789
                call answerCode 1 ada 3 10811983410822548831
                call signOut 0 ada 300 4568289154331821237
                call adopt 0 ada 16 18401777408988834475
                call signOut 1 bob 300 10058742681528722380
                call signOut 1 ada 35 11264066741396432324
                call adopt 1 ada 300 10367962843844928784
                """),
        KeptHistory(
            law: 6,
            name: "two took one session over under two keys, and what gave way was revoked, and the other with it",
            schedule: 3_646_604_472,
            plan: """
                shares files trouble=84
                call signIn 2 bob 300 16622490023175536477
                both adopt 1 ada 37 4109240121989150684
                call token 1 ada 1 4632020825860089687
                call signOut 1 bob 38 14842642121077425527
                """),
        KeptHistory(
            law: 5,
            name: "who joined a credential that all had left was ended by a sign-in that had given way itself",
            schedule: 7_537_359_633,
            plan: """
                shares files trouble=5
                call signIn 1 ada 1 7289133755305229318
                call signIn 0 bob 24 84070638585677724
                call lock 1 bob 300 6374752310814305590
                call adopt 0 ada 7 8049265721120870437
                call signIn 2 ada 30 17641509351024344123
                both signOut 2 ada 32 302597706943745164
                """),
    ]
}
