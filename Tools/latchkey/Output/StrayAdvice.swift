import Latchkey
import LatchkeyLoopback

/// How a sign-in goes on whose browser was not answered.
struct StrayAdvice {
    /// One line; `nil` if waiting is all there is to do.
    let line: String?

    /// - Parameter canPaste: Whether the person can paste an address at the terminal.
    init(_ kind: StrayRedirect, _ invocation: Invocation, canPaste: Bool) {
        let (option, isPasted): (Option, Bool)
        switch kind {
        case .unknownOwner: (option, isPasted) = (.exposeAddress, canPaste)
        case .otherUser, .longHead: (option, isPasted) = (.detach, canPaste)
        // The address of that page is not the redirect's, and would be refused.
        case .otherHost: (option, isPasted) = (.detach, false)
        case .anonymousError, .otherSignIn, .withoutAnswer, .form, .tooLong, .unreadable:
            line = nil
            return
        }
        let (arguments, texts) = (invocation.arguments, invocation.texts)
        let hasOption = arguments.command.options.contains { $0.name == option.name } && !arguments.has(option)
        let command = ["command": invocation.again(option)]
        let words: String? =
            switch (isPasted, hasOption) {
            case (true, true): texts("stray.pasteOrRun", command)
            case (true, false): texts("stray.paste")
            case (false, true): texts("stray.run", command)
            case (false, false): nil
            }
        line = words.map(Console.printable)
    }
}
