/// The look of the final pages: one column that fits any width, in the person's colour scheme and size of text.
enum PageStyle {
    static let sheet = """
        :root{color-scheme:light dark;--ink:#1c2128;--ground:#f3f4f7;--card:#fff;--line:#d5d9e0}
        @media(prefers-color-scheme:dark){:root{--ink:#e6e9ee;--ground:#0f1216;--card:#191d23;--line:#333a44}}
        body{margin:0;padding:clamp(.75rem,8vh,6rem) .75rem;font:1rem/1.5 system-ui,sans-serif;color:var(--ink);\
        background:var(--ground);overflow-wrap:anywhere}
        main{box-sizing:border-box;max-width:28rem;margin:0 auto;padding:clamp(1.25rem,5vw,2rem);\
        background:var(--card);border:1px solid var(--line);border-radius:.75rem}
        h1{margin:0 0 .5rem;font-size:1.5rem;line-height:1.25}p{margin:0}
        """

    /// The digest of ``sheet`` (CSP Level 3, section 2.3.1), by which the policy allows this style and no other.
    static let digest = "sha256-JfqMJXaDQ+9Rtz446K/sUdWBiXqkTuLae+gv0NIoUKg="
}
