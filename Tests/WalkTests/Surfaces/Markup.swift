/// Reads the pages, whose form this package knows.
struct Markup {
    struct Form {
        var action: String
        var inputs: [(name: String, type: String, value: String)]
        /// The values of its buttons called `do`.
        var acts: [String]
    }

    let text: String

    init(_ text: String) { self.text = text }

    var heading: String { first(/<h1>(.*?)<\/h1>/) ?? "" }

    /// What is read out at once because something went wrong.
    var alert: String? { first(/<div role="alert"[^>]*>\s*<p><strong>(.*?)<\/strong>/) }

    var forms: [Form] {
        text.matches(of: /<form method="post" action="([^"]*)"[^>]*>(.*?)<\/form>/.dotMatchesNewlines()).map { form in
            let content = String(form.2)
            return Form(
                action: Self.plain(String(form.1)),
                inputs: content.matches(of: /<input ([^>]*)>/).map { input in
                    let attributes = String(input.1)
                    return (
                        Self.attribute("name", attributes), Self.attribute("type", attributes),
                        Self.attribute("value", attributes)
                    )
                },
                acts: content.matches(of: /<button [^>]*name="do" value="([^"]*)"/).map { String($0.1) })
        }
    }

    /// The address of the link with these words.
    func link(_ words: String) -> String? {
        text.matches(of: /<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/).first { Self.plain(String($0.2)) == words }.map {
            Self.plain(String($0.1))
        }
    }

    func first(_ pattern: Regex<(Substring, Substring)>) -> String? {
        text.firstMatch(of: pattern.dotMatchesNewlines()).map { Self.plain(String($0.1)) }
    }

    func all(_ pattern: Regex<(Substring, Substring)>) -> [String] {
        text.matches(of: pattern.dotMatchesNewlines()).map { Self.plain(String($0.1)) }
    }

    private static func attribute(_ name: String, _ attributes: String) -> String {
        let pattern = try? Regex<(Substring, Substring)>("(?:^| )\(name)=\"([^\"]*)\"")
        return pattern.flatMap { attributes.firstMatch(of: $0) }.map { plain(String($0.1)) } ?? ""
    }

    /// Takes the escapes of HTML back.
    static func plain(_ text: String) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")].reduce(text) { text, escape in
            text.replacing(escape.0, with: escape.1)
        }
    }
}
