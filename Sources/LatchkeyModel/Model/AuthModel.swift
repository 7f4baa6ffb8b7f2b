public import Latchkey
public import Observation

/// What a sign-in screen, a lock screen and a settings page show, and what their buttons do. It
/// needs no UI framework: SwiftUI follows it by observation, GTK, a web page or a terminal by
/// ``onMove`` or `withObservationTracking`.
///
/// Create one for each window over the app's one client, and call ``start()``. ``state`` says who is
/// signed in, ``stage`` which screen of a sign-in to show, ``notice`` what went wrong and what to press.
/// `Documentation/Screens/Model.md` has the table of all states and moves.
///
/// Each intent, such as ``submit()``, runs alone. A second one while it is under way begins nothing
/// and returns ``IntentResult/alreadyUnderWay``, so a double tap is harmless. ``cancel()`` wins over
/// what is under way, which then returns ``IntentResult/cancelled``. If the service had granted the
/// session by then, it may be stored all the same: ``state`` then says so.
@available(macOS 14, iOS 17, *)
@MainActor @Observable public final class AuthModel {
    /// Who is signed in.
    public internal(set) var state = ModelState.restoring
    /// Which screen of a sign-in to show.
    public internal(set) var stage = ModelStage.form
    /// The accounts, the current one first. While locked, they have no labels unless the policy shows them.
    public internal(set) var accounts: [Account] = []
    /// What is under way; ``loadingText`` says it in words.
    public internal(set) var activity: ModelActivity?
    /// What went wrong, until the next intent or ``dismissNotice()``.
    public internal(set) var notice: ModelNotice?
    /// What the person types before a sign-in.
    public var form: SignInForm
    /// The pause that the service demands, in the stages ``ModelStage/formPause`` and
    /// ``ModelStage/answerPause(_:)``.
    public internal(set) var countdown: Countdown?
    /// What succeeded, in the stage ``ModelStage/succeeded``.
    public internal(set) var succeeded: ModelPurpose?
    /// Whether to cover the app's content: ``setPhase(_:)``.
    public internal(set) var isShielded: Bool
    /// Whether to offer the unlock, once, after the first sign-in: ``setUnlockEnabled(_:)`` or ``declineUnlockOffer()``.
    public internal(set) var offersUnlock = false
    /// Whether the unlock is in force.
    public internal(set) var isUnlockEnabled: Bool
    /// Whether the authenticator can ask, as far as it has told of changes.
    public internal(set) var unlockAvailability: UnlockAvailability?
    /// A warning that access ends soon: ``staySignedIn()``.
    public internal(set) var expiryWarning: ExpiryWarning?
    /// The stronger proof that a resource demands: ``stepUp(_:)``.
    public internal(set) var stepUpDemand: StepUp?

    /// Called on the main actor after each move, for logs and for screens that do not observe. It
    /// carries the names of states only.
    @ObservationIgnored public var onMove: (@MainActor (ModelMove) -> Void)?

    /// The address that the browser returns to, if it is known only at run time, such as a loopback
    /// address with its port. It wins over the one of ``ModelOptions/signIn``.
    @ObservationIgnored public var redirect: String?

    /// The client.
    @ObservationIgnored public let client: AuthClient
    /// What the app decided about its screens.
    @ObservationIgnored public let options: ModelOptions
    @ObservationIgnored let context: PluginContext
    @ObservationIgnored var underWay: UnderWay?
    @ObservationIgnored var conversation: Conversation?
    /// Does again what failed last: the button ``ModelNotice/Press/tryAgain``.
    @ObservationIgnored var again: (@MainActor (AuthModel) async -> IntentResult)?
    @ObservationIgnored var isFollowing = false
    /// Whether an answer or a poll of the present conversation is under way. Its result says whether it signed the
    /// person in, so the client's event must not be taken for another window's.
    @ObservationIgnored var expectsAnswer = false
    @ObservationIgnored var phase = AppPhase.active
    @ObservationIgnored var numbers = (flight: 0, conversation: 0, look: 0, looked: 0, ticking: 0)

    /// Creates a model. Reads nothing before ``start()``.
    ///
    /// - Parameters:
    ///   - client: The app's client.
    ///   - options: What the app decides about its screens.
    ///   - context: Time and tasks; give the one that the client was built with. Default: the system.
    public init(_ client: AuthClient, _ options: ModelOptions = ModelOptions(), context: PluginContext = .system) {
        self.client = client
        self.options = options
        self.context = context
        isShielded = client.isShielded
        isUnlockEnabled = client.isUnlockEnabled
        form = SignInForm(methods: FormMethod.offered(by: client.rules, options), options)
    }
}

/// What is shown, in words.
@available(macOS 14, iOS 17, *)
extension AuthModel {
    /// The current account; `nil` if nobody is signed in.
    public var person: Account? { accounts.first { $0.isCurrent } ?? accounts.first }

    /// What is under way, in words without a full stop; `nil` if nothing is.
    public var loadingText: String? {
        activity.map { ModelTexts.table.text("loading.\($0.rawValue)", in: options.language) }
    }

    /// What succeeded, in words; `nil` in every other stage than ``ModelStage/succeeded``.
    public var successText: String? { successText(in: options.language) }

    /// How long to wait, in words; `nil` if the service demands no pause.
    public var pauseText: String? { pauseText(in: options.language) }

    /// Where the person continues, in words; `nil` in every other stage than ``ModelStage/elsewhere(_:)``.
    public var elsewhereText: String? { elsewhereText(in: options.language) }

    /// The question of ``offersUnlock``.
    public var unlockOfferText: String { unlockOfferText(in: options.language) }

    /// Returns ``successText`` in `language`, for a server whose readers have several.
    public func successText(in language: TextLanguage) -> String? {
        succeeded.map { ModelTexts.table.text("success.\($0.rawValue)", in: language) }
    }

    /// Returns ``pauseText`` in `language`.
    public func pauseText(in language: TextLanguage) -> String? {
        countdown.map { ModelTexts.table.text("pause", in: language, ["count": "\($0.secondsLeft)"]) }
    }

    /// Returns ``elsewhereText`` in `language`.
    public func elsewhereText(in language: TextLanguage) -> String? {
        guard case .elsewhere(let place) = stage else { return nil }
        var to: String?
        let key: String
        switch place {
        case .message(_, let address): (key, to) = ("message", address)
        case .page: key = "page"
        case .approval: key = "approval"
        case .signIn: key = "signIn"
        @unknown default: key = "other"
        }
        let address = to.map { address in
            ModelTexts.table.text("challenge.to", in: language, ["address": ModelTexts.cleaned(address)])
        }
        return ModelTexts.table.text("elsewhere.\(key)", in: language, ["to": address ?? ""])
    }

    /// Returns ``unlockOfferText`` in `language`.
    public func unlockOfferText(in language: TextLanguage) -> String {
        ModelTexts.table.text("offer.unlock", in: language)
    }

    /// Takes the notice away.
    public func dismissNotice() { notice = nil }
}
