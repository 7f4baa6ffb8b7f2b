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
    ]
}
