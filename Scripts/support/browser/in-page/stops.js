// What the Tab key should stop at, in the document's order: a place of each in the document, and a name for messages.
// Nothing has the focus afterwards.
() => {
    const candidates = "a[href], area[href], button, input:not([type=hidden]), select, textarea, summary, iframe, "
        + "audio[controls], video[controls], [contenteditable=true], [tabindex]"
    const groups = new Set()
    const all = [...document.querySelectorAll(candidates)].filter((element) => {
        if (element.tabIndex < 0 || element.disabled || element.closest("[inert], :disabled")) return false
        if (!element.checkVisibility({ visibilityProperty: true })) return false
        if (element.tagName === "SUMMARY" && element.parentElement.tagName !== "DETAILS") return false
        if (element.type !== "radio") return true
        // Of a group of radio buttons, the chosen one or the first is a stop.
        const key = `${element.form ? [...document.forms].indexOf(element.form) : ""}/${element.name}`
        const chosen = [...document.querySelectorAll("input[type=radio]")].find(
            (other) => other.name === element.name && other.form === element.form && other.checked)
        if (chosen) return chosen === element
        return !groups.has(key) && groups.add(key)
    })
    // The next Tab begins at the start, wherever the focus was.
    const root = document.documentElement
    root.tabIndex = -1
    root.focus({ preventScroll: true })
    root.blur()
    root.removeAttribute("tabindex")
    return all.map((element) => {
        const box = element.getBoundingClientRect()
        const pad = 6
        const left = Math.max(0, box.left + scrollX - pad), top = Math.max(0, box.top + scrollY - pad)
        return {
            place: [...document.querySelectorAll("*")].indexOf(element),
            name: (element.name || element.textContent || element.tagName).trim().slice(0, 40),
            clip: [left, top, box.right + scrollX + pad - left, box.bottom + scrollY + pad - top],
            left: box.left, top: box.top, right: box.right, bottom: box.bottom,
            perimeter: 2 * (box.width + box.height),
        }
    })
}
