/// The one style sheet. Sizes follow the reader's own, colours the reader's scheme, and nothing moves.
enum StyleSheet {
    static func response(to request: WebRequest) -> WebResponse {
        guard ["GET", "HEAD"].contains(request.method) else {
            return WebResponse(status: 405, fields: [("Allow", "GET, HEAD")]).secured()
        }
        var response = WebResponse(
            fields: [("Content-Type", "text/css; charset=utf-8")],
            body: request.method == "HEAD" ? [] : Array(text.utf8)
        ).secured()
        response.fields.removeAll { $0.name == "Cache-Control" }
        response.fields.append(("Cache-Control", "public, max-age=300"))
        return response
    }

    static let text = """
        :root {
          color-scheme: light dark;
          --paper: #ffffff; --ink: #1a1a1a; --soft: #4d4d4d; --line: #767676;
          --act: #0b4f9e; --on-act: #ffffff; --bad: #a3150c; --good: #1d5c2b; --wash: #f2f4f7;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #14171a; --ink: #f0f0f0; --soft: #c2c7cc; --line: #8d949b;
            --act: #9cc8ff; --on-act: #10151a; --bad: #ffb4ab; --good: #9fdcae; --wash: #20252a;
          }
        }
        * { box-sizing: border-box; }
        html { font-family: system-ui, sans-serif; font-size: 112.5%; line-height: 1.5; }
        body { margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: anywhere; }
        header, main, footer { max-width: 32rem; margin: 0 auto; padding: 1rem; }
        header p { margin: 0; font-weight: 600; }
        h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 1rem; }
        h2 { font-size: 1.15rem; margin: 2rem 0 0.5rem; }
        p { margin: 0 0 1rem; }
        a { color: var(--act); }
        ul { padding-left: 1.25rem; }
        li { padding: 0.25rem 0; }
        form { margin: 0 0 1rem; }
        .field { margin: 0 0 1.25rem; }
        label, legend { display: block; font-weight: 600; margin-bottom: 0.25rem; }
        input:not([type=radio]):not([type=hidden]) {
          width: 100%; min-height: 2.75rem; padding: 0.5rem 0.75rem; font: inherit;
          color: var(--ink); background: var(--paper); border: 2px solid var(--line); border-radius: 0.25rem;
        }
        input[aria-invalid=true] { border-color: var(--bad); }
        button, a.button {
          display: inline-block; min-height: 2.75rem; padding: 0.55rem 1.25rem; font: inherit; font-weight: 600;
          max-width: 100%; text-align: left; cursor: pointer; text-decoration: none;
          color: var(--on-act); background: var(--act); border: 2px solid var(--act); border-radius: 0.25rem;
        }
        button.quiet { color: var(--act); background: transparent; }
        button + button { margin: 0.5rem 0 0; }
        :focus-visible { outline: 3px solid var(--act); outline-offset: 3px; }
        .hint { color: var(--soft); margin-bottom: 0.35rem; }
        .error { color: var(--bad); font-weight: 600; margin-bottom: 0.35rem; }
        .alert { border: 2px solid var(--bad); border-radius: 0.25rem; padding: 1rem 1rem 0; margin: 0 0 1.25rem; }
        .alert a { color: var(--bad); }
        .status { border-left: 0.3rem solid var(--good); background: var(--wash); padding: 0.75rem 1rem; }
        .rows { list-style: none; padding: 0; }
        .rows li { border-top: 1px solid var(--line); padding: 1rem 0 0; }
        .links { margin-top: 2rem; }
        .choice { display: flex; gap: 0.75rem; align-items: center; min-height: 2.75rem; }
        .choice input { width: 1.25rem; height: 1.25rem; flex: none; accent-color: var(--act); }
        .choice label { font-weight: 400; margin: 0; }
        fieldset { border: 0; padding: 0; margin: 0 0 1rem; min-width: 0; }
        code { font-size: 1.1em; }
        dd { margin: 0 0 0.75rem; }
        .qr { display: block; width: 100%; max-width: 16rem; height: auto; margin: 0 0 1rem; }
        @media (prefers-reduced-motion: reduce) {
          * { animation: none !important; transition: none !important; scroll-behavior: auto !important; }
        }
        @media (forced-colors: active) { button, a.button { border-color: ButtonBorder; } }

        """
}
