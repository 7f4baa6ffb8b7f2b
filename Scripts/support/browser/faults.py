"""Pages with one fault each, which the checks have to find: a check that finds nothing here would find nothing anywhere."""

POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

GOOD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>A page</title><style>
:root{color-scheme:light dark}body{font:1rem/1.5 sans-serif;margin:1rem;color:#111;background:#fff}
input,button{font:inherit;max-width:100%;box-sizing:border-box;border:1px solid #555;color:inherit;background:inherit}
:focus-visible{outline:3px solid #05a;outline-offset:2px}
@media (prefers-color-scheme:dark){body{color:#eee;background:#111}input,button{border-color:#aaa}
:focus-visible{outline-color:#8cf}a{color:#8cf}}</style></head>
<body><main><h1>A page</h1><p>Some words, and <a href="/">a link</a>.</p>
<form method="post" action="/"><p><label for="name">Name</label> <input id="name" name="name"></p>
<p><button>Send</button></p></form></main></body></html>
"""


def changed(old, new):
    if old not in GOOD:
        raise ValueError(f"the good page has no {old}")
    return GOOD.replace(old, new)


# What is wrong, the page, a word of the finding, and whether the page has a policy.
FAULTS = [
    ("a field without a label", changed('<label for="name">Name</label>', "Name"), "without a name", True),
    ("a button without words", changed("<button>Send</button>", "<button></button>"), "without a name", True),
    ("text of low contrast", changed("color:#111", "color:#888"), "contrast 3.5", True),
    ("text of low contrast in the dark scheme", changed("color:#eee", "color:#666"), "contrast 3", True),
    ("a field whose edge does not show", changed("1px solid #555", "1px solid #ddd"), "edge 1", True),
    ("no focus ring", changed("outline:3px solid #05a", "outline:none"), "focus does not show", True),
    ("a focus ring that nobody sees", changed("outline:3px solid #05a", "outline:2px solid #eee"), "focus does not show", True),
    ("a tabindex that jumps", changed("<button>", '<button tabindex="1">'), "document's order", True),
    ("a field that holds the Tab key", changed('<input id', '<input onkeydown="return event.key!=\'Tab\'" id'),
     "document's order", False),
    ("a focus that goes up the page", changed("<form", '<form style="display:flex;flex-direction:column-reverse"'), "goes back",
     True),
    ("no language", changed(' lang="en"', ""), "no language", True),
    ("no title", changed("<title>A page</title>", ""), "no title", True),
    ("no viewport", changed('<meta name="viewport" content="width=device-width, initial-scale=1">', ""), "viewport", True),
    ("no dark colours", changed("body{color:#eee;background:#111}", ""), "light in the dark", True),
    ("a hint that is not there", changed('<input id="name"', '<input aria-describedby="no" id="name"'), "names “no”", True),
    ("a role that is none", changed("<p>Some", '<p role="shout">Some'), "axe: aria-roles", True),
    ("text that does not grow", changed("font:1rem/1.5", "font:16px/1.5"), "does not grow", True),
    ("wider than the screen", changed("<p>Some", '<p style="width:50rem">Some'), "px too wide", True),
    ("wider than the screen with large text", changed("<p>Some", '<p style="width:18rem">Some'), "px too wide", True),
    ("a picture of another origin", changed("</form>", '</form><img alt="" src="http://elsewhere.test/x.png">'),
     "http://elsewhere.test/x.png", False),
    ("a style of another origin", changed("</title>", '</title><link rel="stylesheet" href="http://elsewhere.test/x.css">'),
     "http://elsewhere.test/x.css", False),
    ("a page without a policy", GOOD, "no policy against scripts", False),
    ("an inline script under a policy", changed("</form>", "</form><script>document.title='x'</script>"), "script-src", True),
    ("a picture that the policy forbids", changed("</form>", '</form><img alt="" src="/x.png">'), "img-src", True),
]
