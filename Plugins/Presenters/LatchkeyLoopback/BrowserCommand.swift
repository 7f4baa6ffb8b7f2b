/// One command of `$BROWSER`: words as a shell reads them, of which `%s` stands for the address.
struct BrowserCommand {
    /// The words; empty for a command that has none.
    var words: [String] = []

    /// Reads a command. Quotes keep spaces together, a backslash takes the next letter as it is, and what is not closed
    /// goes to the end. Nothing else means anything: no variable is filled in, and no shell is started.
    init(_ text: Substring) {
        var (word, quote, isOpen) = ("", Character?.none, false)
        var letters = text.makeIterator()
        while let letter = letters.next() {
            switch letter {
            case "\\" where quote != "'":
                word.append(letters.next() ?? letter)
                isOpen = true
            case _ where letter == quote: quote = nil
            case "'" where quote == nil, "\"" where quote == nil: (quote, isOpen) = (letter, true)
            case " " where quote == nil, "\t" where quote == nil:
                if isOpen { words.append(word) }
                (word, isOpen) = ("", false)
            default:
                word.append(letter)
                isOpen = true
            }
        }
        if isOpen { words.append(word) }
    }

    /// Returns `words` with `url` in place of each `%s`, or else behind the last one.
    static func line(_ words: [String], for url: String) -> [String] {
        guard words.contains(where: { $0.contains("%s") }) else { return words + [url] }
        return words.map { $0.replacing("%s", with: url) }
    }
}
