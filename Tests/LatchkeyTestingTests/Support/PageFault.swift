/// What ``PageProvider`` does wrong, and the clause that must find it.
enum PageFault: String, CaseIterable, Sendable {
    case takesNoState, takesTwoCodes, endsAtForgery, sharesState, sharesVerifier, believesPage, keepsInCache
    case endsAtWrongCode, believesGateway, sendsAgain, hidesOffline, hidesBan, namesNobody, ignoresNonce, ignoresType
    case takesOther, losesSuccessor, believesNegative, readsDevice, learnsNoTime, hasNoLabel, sharesBinding
    case namesTokenInAddress, hidesWait

    var clause: String {
        switch self {
        case .takesNoState, .takesTwoCodes:
            "a redirect without its own state, or with two values, is an error, and nothing is sent"
        case .endsAtForgery: "a forged redirect leaves the visit open, and the person's own still counts"
        case .sharesState: "the redirect of another sign-in is an error, and nothing is sent"
        case .sharesVerifier: "each visit has a state and a proof key of its own"
        case .believesPage: "a visit leads to a page of the service"
        case .keepsInCache: "another process can answer a challenge"
        case .endsAtWrongCode: "after a wrong answer the right one still signs in"
        case .believesGateway: "an answer without the service's word is no refusal of what was typed"
        case .sendsAgain: "a sign-in whose answer is lost is sent once, and is no refusal"
        case .hidesOffline: "a sign-in that does not reach the service says so"
        case .hidesWait: "a wait that the service asks for at a sign-in is told"
        case .hidesBan: "the refusals of a sign-in that the author names are told as what they are"
        case .namesNobody: "a sign-in whose answer names no person, or brings no token, is an error"
        case .ignoresNonce: "a sign-in believes no ID token that is made for another one"
        case .ignoresType: "a token of an unknown type is an error"
        case .takesOther: "an answer to a refresh that names another person is an error, and no Refusal"
        case .losesSuccessor: "the new refresh token of an answer that is refused is carried"
        case .believesNegative: "a lifetime that makes no sense is not believed"
        case .readsDevice: "a device whose clock is wrong, and knows by how much, sees the same times"
        case .learnsNoTime: "no token lasts longer on a device whose clock is slow"
        case .hasNoLabel: "a session has its label, however the person signs in, and keeps it"
        case .sharesBinding: "another configuration has another binding, and other accounts"
        case .namesTokenInAddress: "the address of a request holds neither what was typed nor a token"
        }
    }
}
