/// The look of all pages: one column that fits any width, in the person's colour scheme and size of text.
enum PageStyle {
    static let sheet = """
        :root{color-scheme:light dark;--ink:#1c2128;--dim:#57606a;--ground:#f3f4f7;--card:#fff;--line:#d5d9e0;\
        --edge:#6e7781;--accent:#1a56b0;--on:#fff;--warn:#8f3f00;--tint:#fff4e5}
        @media(prefers-color-scheme:dark){:root{--ink:#e6e9ee;--dim:#a3acb9;--ground:#0f1216;--card:#191d23;\
        --line:#333a44;--edge:#8b949e;--accent:#86b9ff;--on:#0b1a2e;--warn:#ffc48a;--tint:#2c2318}}
        body{margin:0;padding:clamp(.75rem,5vw,3rem) .75rem;font:1rem/1.5 system-ui,sans-serif;color:var(--ink);\
        background:var(--ground);overflow-wrap:anywhere}
        main,footer{box-sizing:border-box;max-width:34rem;margin:0 auto}
        main{padding:clamp(1rem,5vw,2rem);background:var(--card);border:1px solid var(--line);border-radius:.75rem}
        main>:last-child,form>:last-child{margin-bottom:0}
        footer{padding:1rem .25rem;font-size:.875rem;color:var(--dim)}
        h1{margin:0 0 1rem;font-size:1.5rem;line-height:1.25}h2{margin:1.75rem 0 .5rem;font-size:1.125rem}
        p,ul{margin:.75rem 0}ul{padding-left:1.25rem}.plain{padding:0;list-style:none}
        .plain li{padding:.6rem 0;border-top:1px solid var(--line)}
        a{color:var(--accent)}code{font:.9375em ui-monospace,monospace}.dim{color:var(--dim)}
        .note{padding:.6rem .9rem;color:var(--warn);background:var(--tint);border-left:.25rem solid;border-radius:.25rem}
        label{display:block;margin:1rem 0 0;font-weight:600}
        input,select,button{box-sizing:border-box;font:inherit;font-weight:400;border-radius:.4rem;\
        border:1px solid var(--edge);color:var(--ink);background:var(--card)}
        input,select{display:block;width:100%;margin-top:.3rem;padding:.55rem .7rem}
        [aria-invalid=true]{border:2px solid var(--warn)}
        .actions{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.5rem}
        button{min-width:0;padding:.55rem 1.4rem;font-weight:600}
        .primary{flex:1;color:var(--on);background:var(--accent);border-color:var(--accent)}
        :focus-visible{outline:3px solid var(--accent);outline-offset:2px}
        """
}
