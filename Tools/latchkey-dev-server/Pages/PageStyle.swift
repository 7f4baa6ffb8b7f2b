/// The look of all pages: one column that fits any width, in the person's colour scheme and size of text.
enum PageStyle {
    static let sheet = """
        :root{color-scheme:light dark;--ink:#1c2128;--soft:#555e6a;--ground:#f3f4f7;--card:#fff;--line:#d5d9e0;\
        --edge:#6e7781;--act:#1a56b0;--on-act:#fff;--good:#1d6b33;--good-wash:#e3f3e7;--bad:#b3261e;--bad-wash:#fdf0ee;\
        --warn:#7a3600;--warn-wash:#fff4e5;--wash:#eef1f6}
        @media(prefers-color-scheme:dark){:root{--ink:#e6e9ee;--soft:#a9b2be;--ground:#0f1216;--card:#191d23;\
        --line:#333a44;--edge:#8b949e;--act:#86b9ff;--on-act:#0b1a2e;--good:#8fd6a4;--good-wash:#16301f;--bad:#ffb4ab;\
        --bad-wash:#2d1a1a;--warn:#ffc48a;--warn-wash:#2c2318;--wash:#222831}}
        *{box-sizing:border-box}
        body{margin:0;padding:clamp(.75rem,5vw,3rem) .75rem;font:106.25%/1.5 system-ui,sans-serif;color:var(--ink);\
        background:var(--ground);overflow-wrap:anywhere}
        main,footer{max-width:30rem;margin:0 auto}
        main{padding:clamp(1.25rem,5vw,2rem);background:var(--card);border:1px solid var(--line);border-radius:.75rem}
        main>:last-child,li>:last-child,dd>:last-child,form>:last-child{margin-bottom:0}
        footer{padding:1rem .25rem 0;font-size:.875rem;color:var(--soft);text-align:center}
        h1{margin:0 0 1.25rem;font-size:1.5rem;line-height:1.25}
        h2{margin:2rem 0 .5rem;font-size:1.125rem;line-height:1.35}
        p{margin:0 0 1rem}ul{margin:0 0 1rem;padding-left:1.25rem}li{margin:.2rem 0}
        a{color:var(--act);text-underline-offset:.15em}
        code{font:.9375em/1.4 ui-monospace,monospace}.dim{color:var(--soft);font-size:.9375rem}
        .code{padding:.5rem .75rem;background:var(--wash);border-radius:.5rem;text-align:center}
        .code code{font-size:1.5rem;letter-spacing:.08em}
        .note{margin:1.25rem 0 0;color:var(--soft);font-size:.9375rem}
        .warning,.alert{margin:0 0 1.25rem;padding:.75rem 1rem;border-left:.3rem solid;border-radius:.5rem}
        .warning{color:var(--warn);background:var(--warn-wash)}
        .alert,.error{color:var(--bad);font-weight:600}.alert{background:var(--bad-wash)}.alert a{color:inherit}
        .error{margin:0 0 .35rem;font-size:.9375rem}
        .rows{padding:0;list-style:none}.rows li{margin:0;padding:1rem 0;border-top:1px solid var(--line)}
        .rows li:last-child{padding-bottom:0}.rows p{margin:0 0 .6rem}
        dl{margin:0 0 1.25rem}dt{font-weight:600}dd{margin:0 0 .75rem}
        form{margin:1.5rem 0 0}.field{margin:0 0 1.25rem}
        label{display:block;margin:0 0 .3rem;font-weight:600}
        input,select,button,.button{width:100%;min-height:2.75rem;font:inherit;border-radius:.5rem;\
        border:1px solid var(--edge);color:var(--ink);background:var(--card)}
        input,select{display:block;padding:.5rem .75rem}[aria-invalid=true]{border:2px solid var(--bad)}
        .actions{display:grid;gap:.6rem;margin-top:1.5rem}
        button,.button{display:block;padding:.55rem 1.25rem;font-weight:600;text-align:center;text-decoration:none;\
        color:var(--act);cursor:pointer}
        .primary{color:var(--on-act);background:var(--act);border-color:var(--act)}
        :focus-visible{outline:3px solid var(--act);outline-offset:2px}
        .message{text-align:center}.whole{display:inline-block}
        svg{display:block;width:3.25rem;height:3.25rem;margin:0 auto 1rem;border-radius:50%;fill:none;\
        stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
        .good{color:var(--good);background:var(--good-wash)}.bad{color:var(--bad);background:var(--bad-wash)}
        @media(forced-colors:active){button,.button{border-color:ButtonBorder}}
        """
}
