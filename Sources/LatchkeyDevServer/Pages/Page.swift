/// Plain pages: no script, no external resources, readable without a style.
enum Page {
    /// Returns a whole document around `content`, which is HTML.
    static func document(title: String, _ content: String) -> String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <title>\(escape(title))</title>
        <style>body{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:2rem auto;padding:0 1rem}
        .note{border-left:.3rem solid #b50;padding:.5rem 1rem}label,button{display:block;margin:.7rem 0}
        button{display:inline-block;padding:.5rem 1.2rem;font:inherit}input,select{font:inherit;display:block}
        td,th{text-align:left;padding-right:1rem;vertical-align:top}</style></head>
        <body><main><h1>\(escape(title))</h1>
        \(content)
        </main><footer><p class="note">A development server. Everything is in memory and nothing is secret: use no
        real password here.</p></footer></body></html>

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
        problem: String?, extra: String = ""
    ) -> String {
        let fields = hidden.map {
            "<input type=\"hidden\" name=\"\(escape($0.name))\" value=\"\(escape($0.value))\">"
        }
        let options = users.map { user in
            let selected = user.name == chosen ? " selected" : ""
            return "<option value=\"\(escape(user.name))\"\(selected)>\(escape(user.displayName))</option>"
        }
        return """
            \(problem.map { "<p class=\"note\" role=\"alert\">\(escape($0))</p>" } ?? "")
            <form method="post" action="\(action)" autocomplete="off">
            \(fields.joined())\(extra)
            <label>Who are you?<select name="\(DevServerWire.username)">\(options.joined())</select></label>
            <label>Password<input type="password" name="\(DevServerWire.password)" autofocus></label>
            <button name="\(DevServerWire.decision)" value="approve">Approve</button>
            <button name="\(DevServerWire.decision)" value="deny">Deny</button>
            </form>
            """
    }
}
