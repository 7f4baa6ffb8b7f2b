/// Processes behind a gate.
extension KeptHistory {
    static let gated = [
        KeptHistory(
            law: 12,
            name: "the checker took a process for locked that had been opened again",
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
            law: 12,
            name: "who locked before reading what is remembered was opened by a proof that another process was given",
            schedule: 934_885_464,
            plan: """
                newSuccessor keyring gate-remembered trouble=398
                call signIn 1 bob 300 1021367065511802833
                call lock 2 ada 8 289225947510799525
                call signIn 1 bob 15 5474051696313233587
                call request 2 ada 30 995295369992310071
                event diskDenied 1 bob 37 6307707439580005850
                """),
        KeptHistory(
            law: 12,
            name: "the same with a request in place of a lock's end",
            schedule: 6_393_966_899,
            plan: """
                fixed keyring gate-remembered trouble=343
                call signIn 0 ada 300 7746481361327565335
                call answerCode 2 ada 300 5457074669542623847
                call lock 1 ada 3 2149680617391003079
                call signIn 0 bob 300 11186674845787320446
                call adopt 2 ada 4 14215765737849897122
                event turnWall 1 ada 13 8058957625550213543
                call refresh 1 ada 21 2517463173467237962
                """),
        KeptHistory(
            law: 6,
            name: "nobody came back to a locked process, which so could not store what a full keyring had not taken",
            schedule: 2_623_105_398,
            plan: """
                shares keyring gate-keyed trouble=30
                call signIn 0 ada 14 11668908352393979645
                both signIn 1 ada 1 16943045811072805528
                event kill 1 bob 36 10829973343613702988
                call signIn 1 ada 32 4891239882069581563
                both token 2 bob 11 3072430579486890271
                event keyringFull 0 ada 5 8108871511396760657
                event powerLoss 2 bob 300 14118230768945845054
                call signIn 2 ada 19 10766821282030448649
                event passTime 1 ada 300 10696137843437413176
                """),
    ]
}
