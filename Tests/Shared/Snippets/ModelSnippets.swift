import Latchkey
import LatchkeyModel

/// The code of `Documentation/Screens/Model.md`, compiled.
enum ModelSnippets {
    @MainActor
    static func form(_ auth: AuthClient, _ options: ModelOptions, _ text: String) async {
        let model = AuthModel(auth, options)  // one for each window, over the app's one client
        await model.start()  // reads who is signed in, and follows the client from now on

        model.form.identifier = "ada@example.test"  // as typed; model.form.hints() says what looks wrong
        model.form.setPassword(text)  // never trimmed
        await model.submit()
    }
}
