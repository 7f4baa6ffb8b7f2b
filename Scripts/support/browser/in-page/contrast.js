// The contrast of every text and every field's edge with what is behind it (WCAG 2.2, 1.4.3 and 1.4.11).
// Returns the least ratio of a text to what it needs (times 4.5, so that large text counts alike), and what falls short.
() => {
    const TEXT = 4.5, LARGE = 3, EDGE = 3
    const context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d")

    const color = (text) => {
        const plain = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(text)
        if (plain) return [+plain[1], +plain[2], +plain[3], plain[4] === undefined ? 1 : +plain[4]]
        context.clearRect(0, 0, 1, 1)
        context.fillStyle = text
        context.fillRect(0, 0, 1, 1)
        const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data
        return [red, green, blue, alpha / 255]
    }
    const over = (top, bottom) => [0, 1, 2].map((i) => top[i] * top[3] + bottom[i] * (1 - top[3])).concat(1)
    const luminance = (rgb) => {
        const [red, green, blue] = rgb.map((value) => {
            const part = value / 255
            return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
        })
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    const ratio = (one, other) => {
        const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a)
        return (high + 0.05) / (low + 0.05)
    }
    const opacity = (element) => {
        let product = 1
        for (let at = element; at; at = at.parentElement) product *= +getComputedStyle(at).opacity
        return product
    }
    const canvas = matchMedia("(prefers-color-scheme: dark)").matches
        && /dark/.test(getComputedStyle(document.documentElement).colorScheme) ? [18, 18, 18, 1] : [255, 255, 255, 1]
    // What is behind an element; `null` if that is a picture, of which nothing can be said.
    const behind = (element) => {
        const layers = []
        for (let at = element; at; at = at.parentElement) {
            const style = getComputedStyle(at)
            if (style.backgroundImage !== "none") return null
            const layer = color(style.backgroundColor)
            if (layer[3] > 0) layers.push(layer)
            if (layer[3] === 1) break
        }
        return layers.reverse().reduce((bottom, top) => over(top, bottom), canvas)
    }
    const isVisible = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
        && element.getClientRects().length > 0
    // Text that only a screen reader gets is cut to a point.
    const isCut = (element) => {
        for (let at = element; at; at = at.parentElement) {
            const box = at.getBoundingClientRect()
            if (getComputedStyle(at).overflow !== "visible" && (box.width <= 1 || box.height <= 1)) return true
        }
        return false
    }
    const isDisabled = (element) => element.closest(":disabled, [aria-disabled=true]") !== null

    let least = Infinity
    const faults = []
    const judge = (element, foreground, said) => {
        const style = getComputedStyle(element)
        const back = behind(element)
        const words = said.trim().slice(0, 40)
        if (!back) return faults.push(`text over a picture: “${words}”`)
        const front = color(foreground)
        const found = ratio(over([...front.slice(0, 3), front[3] * opacity(element)], back), back)
        const size = parseFloat(style.fontSize)
        const needed = size >= 24 || (size >= 18.66 && +style.fontWeight >= 700) ? LARGE : TEXT
        least = Math.min(least, (found / needed) * TEXT)
        if (found < needed) faults.push(`contrast ${found.toFixed(2)} < ${needed}: “${words}”`)
    }

    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const element = node.parentElement
        if (!node.data.trim() || /^(STYLE|SCRIPT|TITLE|OPTION|NOSCRIPT)$/.test(element.tagName)) continue
        if (isVisible(element) && !isCut(element) && !isDisabled(element)) {
            judge(element, getComputedStyle(element).color, node.data)
        }
    }
    for (const field of document.querySelectorAll("input:not([type=hidden]), select, textarea, button")) {
        if (!isVisible(field) || isCut(field) || isDisabled(field)) continue
        const style = getComputedStyle(field)
        const name = field.name || field.textContent.trim()
        const isBox = /^(checkbox|radio|range|color|file)$/.test(field.type)
        if (!isBox && field.tagName !== "BUTTON") {
            judge(field, style.color, `text in ${name}`)
            if (field.placeholder) judge(field, getComputedStyle(field, "::placeholder").color, field.placeholder)
        }
        // What Chromium draws itself it draws right.
        if (isBox && style.appearance !== "none") continue
        const outside = behind(field.parentElement)
        const inside = behind(field)
        if (!outside || !inside) continue
        const edge = parseFloat(style.borderBottomWidth) >= 1 && style.borderBottomStyle !== "none"
            ? ratio(over(color(style.borderBottomColor), inside), outside) : 1
        const best = Math.max(edge, ratio(inside, outside))
        if (field.tagName !== "BUTTON" && best < EDGE) faults.push(`edge ${best.toFixed(2)} < ${EDGE}: field ${name}`)
    }
    const ground = luminance(behind(document.body) ?? canvas)
    if (matchMedia("(prefers-color-scheme: dark)").matches && ground > 0.2) faults.push("light in the dark scheme")
    return { least: least === Infinity ? 21 : least, faults }
}
