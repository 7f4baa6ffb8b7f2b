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
          --ground: #f3f4f7; --card: #ffffff; --ink: #1c2128; --soft: #555e6a; --line: #d5d9e0; --edge: #6e7781;
          --act: #1a56b0; --on-act: #ffffff; --bad: #b3261e; --bad-wash: #fdf0ee; --good: #1d6b33; --good-wash: #edf7ef;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #0f1216; --card: #191d23; --ink: #e6e9ee; --soft: #a9b2be; --line: #333a44; --edge: #8b949e;
            --act: #86b9ff; --on-act: #0b1a2e; --bad: #ffb4ab; --bad-wash: #2d1a1a;
            --good: #8fd6a4; --good-wash: #16261b;
          }
        }
        * { box-sizing: border-box; }
        html { font-family: system-ui, sans-serif; font-size: 106.25%; line-height: 1.5; }
        body {
          margin: 0; padding: clamp(0.75rem, 4vw, 3rem) 0.75rem; min-height: 100vh;
          background: var(--ground); color: var(--ink); overflow-wrap: anywhere;
        }
        header, main, footer { max-width: 27rem; margin: 0 auto; }
        header p { margin: 0 0 1rem; font-size: 1.125rem; font-weight: 700; text-align: center; }
        main {
          padding: clamp(1.25rem, 5vw, 2rem);
          background: var(--card); border: 1px solid var(--line); border-radius: 0.75rem;
        }
        footer { display: flex; justify-content: center; padding: 1rem 0 0; }
        h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1.25rem; }
        h2 { font-size: 1.0625rem; line-height: 1.35; margin: 1.75rem 0 0.75rem; }
        p { margin: 0 0 1rem; }
        a { color: var(--act); text-underline-offset: 0.15em; }
        form { margin: 0 0 1rem; }
        main > :last-child, main > :last-child > :last-child, footer form { margin-bottom: 0; }
        .field { margin: 0 0 1.25rem; }
        label, legend { display: block; font-weight: 600; margin-bottom: 0.3rem; }
        input:not([type=radio]):not([type=hidden]) {
          width: 100%; min-height: 2.75rem; padding: 0.5rem 0.75rem; font: inherit;
          color: var(--ink); background: var(--card); border: 1px solid var(--edge); border-radius: 0.5rem;
        }
        input[aria-invalid=true]:not([type=radio]) { border: 2px solid var(--bad); }
        button, a.button {
          display: block; width: 100%; min-height: 2.75rem; padding: 0.55rem 1.25rem; font: inherit; font-weight: 600;
          text-align: center; text-decoration: none; cursor: pointer;
          color: var(--on-act); background: var(--act); border: 1px solid var(--act); border-radius: 0.5rem;
        }
        button.quiet { color: var(--act); background: transparent; border-color: var(--edge); }
        footer button.quiet {
          width: auto; min-height: 2.5rem; padding: 0.25rem 1rem; font-weight: 400; border-color: transparent;
          text-decoration: underline;
        }
        button + button { margin: 0.6rem 0 0; }
        :focus-visible { outline: 3px solid var(--act); outline-offset: 2px; }
        .hint { color: var(--soft); font-size: 0.9375rem; margin-bottom: 0.35rem; }
        .error { color: var(--bad); font-weight: 600; font-size: 0.9375rem; margin-bottom: 0.35rem; }
        .alert, .status { padding: 0.75rem 1rem; margin: 0 0 1.25rem; border-left: 0.3rem solid; border-radius: 0.5rem; }
        .alert { color: var(--bad); background: var(--bad-wash); }
        .alert a { color: inherit; }
        .alert p, .alert ul { margin: 0.25rem 0 0; }
        .alert ul { padding-left: 1.25rem; }
        .alert > :first-child { margin-top: 0; }
        .status { color: var(--good); background: var(--good-wash); }
        nav ul, .links, .rows { list-style: none; padding: 0; margin: 0; }
        nav { margin-top: 1.75rem; border-top: 1px solid var(--line); }
        nav h2 { margin-top: 1.25rem; }
        .links { margin-top: 1.5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
        nav li, .links li { padding: 0.3rem 0; }
        .rows li { border-top: 1px solid var(--line); padding: 1rem 0 0; }
        .rows p { margin-bottom: 0.6rem; }
        .choice { display: flex; gap: 0.75rem; align-items: center; min-height: 2.75rem; }
        .choice input { width: 1.25rem; height: 1.25rem; flex: none; accent-color: var(--act); }
        .choice label { font-weight: 400; margin: 0; }
        fieldset { border: 0; padding: 0; margin: 0 0 1rem; min-width: 0; }
        code { font: 1.0625em/1.4 ui-monospace, monospace; }
        dt { font-weight: 600; }
        dd { margin: 0 0 0.75rem; }
        .qr { display: block; width: 100%; max-width: 14rem; height: auto; margin: 0 auto 1rem; border-radius: 0.5rem; }
        @media (prefers-reduced-motion: reduce) {
          * { animation: none !important; transition: none !important; scroll-behavior: auto !important; }
        }
        @media (forced-colors: active) { button, a.button { border-color: ButtonBorder; } }

        """
}
