// What is wider than the screen, and the size of text.
() => {
    const root = document.documentElement
    const edge = root.clientWidth
    const wide = root.scrollWidth > edge
        ? [...document.querySelectorAll("body *")].filter((element) => element.getBoundingClientRect().right > edge + 1)
        : []
    return {
        wider: Math.max(0, root.scrollWidth - root.clientWidth),
        culprit: wide.length ? `${wide.at(-1).tagName.toLowerCase()} “${wide.at(-1).textContent.trim().slice(0, 30)}”` : "",
        size: parseFloat(getComputedStyle(document.querySelector("p, label, li, h1") ?? document.body).fontSize),
    }
}
