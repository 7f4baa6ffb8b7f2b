/// What is kept of a person, beside everything else.
extension KeptHistory {
    static let ofPersons = [
        KeptHistory(
            law: 6,
            name: "the answer about somebody who had signed out ended the wait for a refresh that might be under way",
            schedule: 15_735_053,
            plan: """
                sameSuccessor files trouble=327
                call signIn 2 ada 13 10686571044452938696
                call restore 1 ada 300 668397864437064
                both request 2 ada 30 9862564936790041949
                call claims 1 ada 37 17028990529196760666
                call signOut 0 ada 34 2188098653551473938
                """),
        KeptHistory(
            law: 19,
            name: "an answer that was on its way into the store was taken for one that it had lost",
            schedule: 12_995_079,
            plan: """
                fixed keyring trouble=0
                call signIn 1 ada 13 8836112434491209541
                call adopt 0 ada 300 6477529939924956917
                event cancel 1 ada 300 1086667202807785383
                call unlock 2 ada 36 14152205094953312422
                call work 2 ada 13 2050792015121200878
                both adopt 1 ada 19 3304393586598608545
                call background 2 ada 19 15559329194660327012
                event keyringLocked 2 ada 28 14513943159508053311
                event allWell 1 ada 300 365327645453074511
                both work 2 ada 31 17715226257844393537
                event cancel 2 ada 11 1498010629588328249
                event suspend 0 ada 12 2881230865062450630
                both adopt 2 ada 5 4000003935059232592
                call adopt 2 ada 36 8999897022804455981
                event outage 2 bob 11 2740273024457262084
                call claims 2 ada 300 4693287182088750466
                call work 0 ada 300 7438747061157656543
                event tap 2 bob 6 10431887586837453750
                """),
        KeptHistory(
            law: 2,
            name: "who read a session while the store took a late answer read what was there before it, on a full disk",
            schedule: 374_394_482,
            plan: """
                mints files trouble=0
                call signIn 0 ada 16 14682113857048559071
                call lock 2 ada 25 10702920472568129175
                call claims 2 ada 12 2202430541879363679
                event keyringLocked 2 ada 27 12918963058746290306
                event diskFull 2 ada 20 7968468046343462054
                call claims 0 ada 8 13684609663244045845
                both claims 0 ada 30 12684764474325415580
                """),
        KeptHistory(
            law: 2,
            name:
                "who read a session while the store took a late answer read what was there before it, on a failing disk",
            schedule: 754_601_510,
            plan: """
                newSuccessor files trouble=142
                call signIn 1 ada 300 4537285155349837518
                event powerLoss 0 ada 300 3681280688225560209
                event diskFails 2 ada 37 6110003737216114358
                call claims 1 ada 19 13058496362203619632
                call claims 1 ada 2 12358593654910621519
                call claims 0 ada 24 15806251992116578594
                """),
    ]
}
