public import Latchkey

/// The language of the questions.
public typealias TerminalLanguage = TextLanguage
