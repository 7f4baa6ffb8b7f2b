/// The model's states and moves, as data. ``AuthModel`` makes no other move.
///
/// `Scripts/model-table` draws it into `Documentation/Screens/Model.md`, one line of this file for one row.
public enum ModelTable {
    /// Every move.
    public static let all = session + conversation

    /// The state that `trigger` leads to from `phase`; `nil` if the table has no such move.
    public static func next(_ phase: ModelPhase, _ trigger: ModelTrigger) -> ModelPhase? {
        targets[phase]?[trigger]
    }

    private static let targets: [ModelPhase: [ModelTrigger: ModelPhase]] = all.reduce(into: [:]) { targets, move in
        targets[move.from, default: [:]][move.trigger] = move.to
    }

    /// Who is signed in. The client decides, so any state may follow any other: while a window was
    /// busy, others may have signed in, locked and signed out.
    static let session = [
        ModelMove(.restoring, .foundNobody, .signedOut),
        ModelMove(.restoring, .foundSession, .signedIn),
        ModelMove(.restoring, .foundOffline, .offline),
        ModelMove(.restoring, .foundEnded, .signInAgain),
        ModelMove(.restoring, .foundLocked, .locked),
        ModelMove(.restoring, .foundUnreadable, .unavailable),
        ModelMove(.unavailable, .foundNobody, .signedOut),
        ModelMove(.unavailable, .foundSession, .signedIn),
        ModelMove(.unavailable, .foundOffline, .offline),
        ModelMove(.unavailable, .foundEnded, .signInAgain),
        ModelMove(.unavailable, .foundLocked, .locked),
        ModelMove(.unavailable, .triedAgain, .restoring),
        ModelMove(.signedOut, .foundSession, .signedIn),
        ModelMove(.signedOut, .foundOffline, .offline),
        ModelMove(.signedOut, .foundEnded, .signInAgain),
        ModelMove(.signedOut, .foundLocked, .locked),
        ModelMove(.signedOut, .foundUnreadable, .unavailable),
        ModelMove(.locked, .foundNobody, .signedOut),
        ModelMove(.locked, .foundSession, .signedIn),
        ModelMove(.locked, .foundOffline, .offline),
        ModelMove(.locked, .foundEnded, .signInAgain),
        ModelMove(.locked, .foundUnreadable, .unavailable),
        ModelMove(.signedIn, .foundNobody, .signedOut),
        ModelMove(.signedIn, .foundOffline, .offline),
        ModelMove(.signedIn, .foundEnded, .signInAgain),
        ModelMove(.signedIn, .foundLocked, .locked),
        ModelMove(.signedIn, .foundUnreadable, .unavailable),
        ModelMove(.offline, .foundNobody, .signedOut),
        ModelMove(.offline, .foundSession, .signedIn),
        ModelMove(.offline, .foundEnded, .signInAgain),
        ModelMove(.offline, .foundLocked, .locked),
        ModelMove(.offline, .foundUnreadable, .unavailable),
        ModelMove(.signInAgain, .foundNobody, .signedOut),
        ModelMove(.signInAgain, .foundSession, .signedIn),
        ModelMove(.signInAgain, .foundOffline, .offline),
        ModelMove(.signInAgain, .foundLocked, .locked),
        ModelMove(.signInAgain, .foundUnreadable, .unavailable),
    ]

    /// What the person and the service say to one another.
    static let conversation = [
        ModelMove(.form, .submitted, .sending),
        ModelMove(.form, .resumed, .asked),
        ModelMove(.sending, .asked, .asked),
        ModelMove(.sending, .granted, .succeeded),
        ModelMove(.sending, .sentElsewhere, .elsewhere),
        ModelMove(.sending, .failed, .form),
        ModelMove(.sending, .slowedDown, .formPause),
        ModelMove(.sending, .cancelled, .form),
        ModelMove(.asked, .answered, .answering),
        ModelMove(.asked, .asked, .asked),
        ModelMove(.asked, .granted, .succeeded),
        ModelMove(.asked, .sentElsewhere, .elsewhere),
        ModelMove(.asked, .challengeGone, .form),
        ModelMove(.asked, .answeredElsewhere, .succeeded),
        ModelMove(.asked, .cancelled, .form),
        ModelMove(.answering, .asked, .asked),
        ModelMove(.answering, .granted, .succeeded),
        ModelMove(.answering, .sentElsewhere, .elsewhere),
        ModelMove(.answering, .failed, .asked),
        ModelMove(.answering, .slowedDown, .answerPause),
        ModelMove(.answering, .challengeGone, .form),
        ModelMove(.answering, .answeredElsewhere, .succeeded),
        ModelMove(.answering, .cancelled, .form),
        ModelMove(.formPause, .waited, .form),
        ModelMove(.formPause, .cancelled, .form),
        ModelMove(.answerPause, .waited, .asked),
        ModelMove(.answerPause, .answeredElsewhere, .succeeded),
        ModelMove(.answerPause, .cancelled, .form),
        ModelMove(.elsewhere, .answeredElsewhere, .succeeded),
        ModelMove(.elsewhere, .dismissed, .form),
        ModelMove(.elsewhere, .submitted, .sending),
        ModelMove(.succeeded, .dismissed, .form),
        ModelMove(.succeeded, .submitted, .sending),
        ModelMove(.succeeded, .sessionEnded, .form),
    ]
}
