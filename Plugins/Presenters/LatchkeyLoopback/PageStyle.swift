/// The look of the pages: one column that fits any width, in the person's colour scheme and size of text.
enum PageStyle {
    static let sheet = """
        :root{color-scheme:light dark;--ink:#1c2128;--soft:#555e6a;--ground:#f3f4f7;--card:#fff;--line:#d5d9e0;\
        --act:#1a56b0;--good:#1d6b33;--good-wash:#e3f3e7;--bad:#b3261e;--bad-wash:#fce9e7;--wash:#e8effa}
        @media(prefers-color-scheme:dark){:root{--ink:#e6e9ee;--soft:#a9b2be;--ground:#0f1216;--card:#191d23;\
        --line:#333a44;--act:#86b9ff;--good:#8fd6a4;--good-wash:#16301f;--bad:#ffb4ab;--bad-wash:#3a1f1d;--wash:#1c2c44}}
        body{margin:0;padding:clamp(1.25rem,10vh,7rem) .75rem;font:106.25%/1.5 system-ui,sans-serif;\
        color:var(--ink);background:var(--ground);overflow-wrap:anywhere}
        header,main{box-sizing:border-box;max-width:27rem;margin:0 auto;text-align:center}
        header p{margin:0 0 1rem;font-size:1.0625rem;font-weight:700}
        main{padding:clamp(1.5rem,6vw,2.25rem);background:var(--card);border:1px solid var(--line);border-radius:.75rem}
        svg{display:block;width:3.25rem;height:3.25rem;margin:0 auto 1rem;border-radius:50%;fill:none;\
        stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
        .good{color:var(--good);background:var(--good-wash)}.bad{color:var(--bad);background:var(--bad-wash)}
        .plain{color:var(--act);background:var(--wash)}
        h1{margin:0 0 .75rem;font-size:1.5rem;line-height:1.25}p{margin:0 0 .5rem}
        .note{margin:1.25rem 0 0;color:var(--soft);font-size:.9375rem}
        a{color:var(--act);text-underline-offset:.15em}:focus-visible{outline:3px solid var(--act);outline-offset:2px}
        """

    /// The digest of ``sheet`` (CSP Level 3, section 2.3.1), by which the policy allows this style and no other.
    static let digest = "sha256-D5ylPq+SnC6mXf/gbAzoh6kNTqYSISl0FlzG97eRB4U="
}
