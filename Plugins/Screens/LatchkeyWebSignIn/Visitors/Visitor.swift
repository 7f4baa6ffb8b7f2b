import Latchkey
import LatchkeyModel

/// One browser's client, and the model of its pages.
final class Visitor: Sendable {
    let id: String
    let client: AuthClient
    let proof: TypedProof
    let pages: VisitorPages

    init(
        id: String, client: AuthClient, proof: TypedProof, _ way: WayBack, _ options: ModelOptions,
        _ context: PluginContext
    ) {
        self.id = id
        self.client = client
        self.proof = proof
        pages = VisitorPages(client, way, options, context)
    }
}

/// What the pages of one browser show. Made when the first of them is asked for.
@MainActor final class VisitorPages {
    private let client: AuthClient
    private let options: ModelOptions
    private let context: PluginContext
    private var made: AuthModel?

    /// Where the person goes on after signing in.
    let way: WayBack
    /// What was missing or looked wrong when the form was sent last.
    var complaints = FormComplaints()
    /// A sentence to show once, by its key in the texts.
    var flash: String?

    nonisolated init(_ client: AuthClient, _ way: WayBack, _ options: ModelOptions, _ context: PluginContext) {
        self.client = client
        self.way = way
        self.options = options
        self.context = context
    }

    /// Returns the model, which has read the store. A challenge that waits in the store is shown again.
    func model() async -> AuthModel {
        if let made { return made }
        let model = AuthModel(client, options, context: context)
        made = model
        await model.start()
        await model.resume()
        return model
    }

    /// Whether something goes on that would be lost with the model.
    var isBusy: Bool { made.map { $0.activity != nil || $0.stage.challenge != nil } ?? false }
}

/// What a form that was sent lacks.
struct FormComplaints: Sendable {
    var missing: Set<FormMethod.Input> = []
    /// The required fields without a value, by name.
    var fields: Set<String> = []
    /// What looks wrong, which keeps nobody from sending the form.
    var hints: [String] = []
    /// The rules that a new password breaks, which the service has refused.
    var broken: [PasswordRules.Rule] = []

    var isEmpty: Bool { missing.isEmpty && fields.isEmpty && hints.isEmpty }
}
