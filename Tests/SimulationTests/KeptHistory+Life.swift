/// The life of an app: being offline, warnings, and what windows are told.
extension KeptHistory {
    static let ofLife = [
        KeptHistory(
            law: 16,
            name: "work waited an hour for a session that had been refused, though its person had signed in again",
            schedule: 456_649_135,
            plan: """
                fixed files every-grant trouble=309
                call signIn 0 ada 15 14624750070029590042
                both work 2 bob 35 7660434631034347193
                call restore 1 ada 300 11288085897675801875
                call work 2 ada 35 185450971664914808
                event suspend 2 ada 25 11169331991570457263
                """),
        KeptHistory(
            law: 20,
            name: "a token that came during a failing store was warned of, ten minutes before its end",
            schedule: 261_327,
            plan: """
                sameSuccessor files trouble=8
                call signIn 2 bob 300 1869568501027486136
                call verify 1 ada 33 5634210381734673620
                event diskFails 2 ada 30 5734986183975426642
                call signOut 1 ada 16 11298626967861418250
                call signIn 0 ada 300 14259508076779863678
                """),
        KeptHistory(
            law: 20,
            name: "the same token was warned of at each refresh that failed",
            schedule: 126_704,
            plan: """
                strict keyring trouble=124
                call signIn 0 ada 32 11732967685414570903
                call unlock 0 ada 300 8710421699883289289
                """),
        KeptHistory(
            law: 19,
            name: "a refresh that succeeded was told as being offline first",
            schedule: 1_140_336,
            plan: """
                newSuccessor keyring trouble=250
                call signIn 2 ada 33 10490432514781846556
                event suspend 0 ada 11 16120141010242079687
                call verify 1 ada 300 3966692762679294215
                """),
        KeptHistory(
            law: 19,
            name: "the same, where the token was minted and is in no record",
            schedule: 6_968_720,
            plan: """
                shares keyring trouble=144
                call signIn 2 ada 300 3868821704036097264
                event serviceRests 0 ada 36 16934010295689189004
                call work 1 ada 300 4280534609935993155
                """),
        KeptHistory(
            law: 19,
            name: "a machine that slept before its request left was offline when it woke",
            schedule: 42_873_466,
            plan: """
                newSuccessor files trouble=0
                call signIn 2 ada 8 2289012507044504353
                call adopt 2 ada 37 17811682687678014924
                event suspend 0 ada 7 13856206823367203713
                """),
        KeptHistory(
            law: 19,
            name: "a process that waited for the request of one that had died was offline",
            schedule: 12_512_020,
            plan: """
                strict files gate trouble=1
                call signIn 0 ada 29 13777480429665833729
                event powerLoss 0 ada 38 16890446144279622924
                event endElsewhere 1 bob 18 3674247960329581175
                call work 1 ada 18 17950612115331617201
                event suspend 1 ada 300 5616270186110053545
                """),
        KeptHistory(
            law: 21,
            name: "the only account was the current one after launch, and nobody was told",
            schedule: 58_632_276,
            plan: """
                strict keyring trouble=0
                call signIn 2 ada 10 7227082207427540351
                event tap 1 bob 29 2094502387267670812
                """),
        KeptHistory(
            law: 21,
            name: "an account whose sign-in could not be stored became the current one, and nobody was told",
            schedule: 192_043_669,
            plan: """
                strict files trouble=313
                event diskDenied 1 bob 25 1063691751968419494
                call work 1 bob 28 10604677382908060750
                event tap 1 ada 31 14823699397450168153
                """),
        KeptHistory(
            law: 21,
            name: "a session that another process saw end came back as one to sign in to again, and nobody was told",
            schedule: 229_651,
            plan: """
                strict files every-grant trouble=287
                call signIn 2 bob 28 13873326434436636732
                event diskFull 1 bob 22 12450299919879936878
                event endElsewhere 0 ada 300 6879534080007922256
                call work 0 bob 26 342202828352169531
                event neighbourGetsIn 0 ada 300 5231211645748637202
                event tap 2 bob 1 2785367442570717518
                event outage 1 ada 27 17833545502292878384
                """),
    ]
}
