// Takes away the caret and what moves, so that two pictures of the same page are the same.
() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync("*, ::before, ::after { caret-color: transparent !important; transition: none !important; "
        + "animation: none !important; scroll-behavior: auto !important }")
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
}
