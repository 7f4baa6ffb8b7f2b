/// Plain pages: no script, no external resources, readable without a style.
enum Page {
    /// What is wrong with what the person sent, and the field that it is about.
    struct Problem {
        var text: String
        var field: String

        /// The attributes that tie the field called `name` to the problem.
        static func attributes(_ problem: Problem?, of name: String) -> String {
            problem?.field == name ? " aria-invalid=\"true\" aria-describedby=\"problem\"" : ""
        }
    }

    /// Returns a whole document around `content`, which is HTML.
    static func document(title: String, _ content: String) -> String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(escape(title))</title>
        <style>\(PageStyle.sheet)</style></head>
        <body><main><h1>\(escape(title))</h1>
        \(content)
        </main><footer>A development server. Everything is in memory and nothing is secret: use no real password
        here.</footer></body></html>

        """
    }

    /// Returns a page with one paragraph.
    static func message(title: String, _ text: String) -> String {
        document(title: title, "<p role=\"status\">\(escape(text))</p>")
    }

    /// Escapes text for use in content and in quoted attributes.
    static func escape(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Returns a form in which a person picks a user, types the password and decides.
    static func decisionForm(
        action: String, hidden: [(name: String, value: String)], users: [DevServer.User], chosen: String?,
        problem: Problem?, extra: String = ""
    ) -> String {
        let fields = hidden.map {
            "<input type=\"hidden\" name=\"\(escape($0.name))\" value=\"\(escape($0.value))\">"
        }
        let options = users.map { user in
            let selected = user.name == chosen ? " selected" : ""
            return "<option value=\"\(escape(user.name))\"\(selected)>\(escape(user.displayName))</option>"
        }
        let password = DevServerWire.password
        return """
            \(problem.map { "<p class=\"note\" role=\"alert\" id=\"problem\">\(escape($0.text))</p>" } ?? "")
            <form method="post" action="\(action)" autocomplete="off">
            \(fields.joined())\(extra)
            <label>Who are you?<select name="\(DevServerWire.username)">\(options.joined())</select></label>
            <label>Password<input type="password" name="\(password)"\(Problem.attributes(problem, of: password))></label>
            <p class="actions"><button class="primary" name="\(DevServerWire.decision)" value="approve">Approve</button>
            <button name="\(DevServerWire.decision)" value="deny">Deny</button></p>
            </form>
            """
    }
}
