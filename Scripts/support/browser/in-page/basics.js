// What every page has: a language, a title, one main heading, room for its width, and unlike ids.
() => {
    const faults = []
    if (!/^[a-z]{2,3}(-[A-Za-z0-9]+)*$/.test(document.documentElement.lang)) faults.push("no language of the page")
    if (!document.title.trim()) faults.push("no title")
    if (document.querySelectorAll("h1").length !== 1) faults.push(`${document.querySelectorAll("h1").length} main headings`)
    if (!document.querySelector("main, [role=main]")) faults.push("no main part")
    const viewport = document.querySelector("meta[name=viewport]")?.content ?? ""
    if (!/width=device-width/.test(viewport)) faults.push("no viewport for small screens")
    if (/user-scalable=no|maximum-scale=1/.test(viewport)) faults.push("the viewport forbids to enlarge")
    const ids = [...document.querySelectorAll("[id]")].map((element) => element.id)
    for (const id of new Set(ids.filter((id, at) => ids.indexOf(id) !== at))) faults.push(`id “${id}” twice`)
    for (const element of document.querySelectorAll("[aria-describedby], [aria-labelledby], [aria-errormessage]")) {
        for (const name of ["aria-describedby", "aria-labelledby", "aria-errormessage"]) {
            for (const id of (element.getAttribute(name) ?? "").split(/\s+/).filter(Boolean)) {
                if (!document.getElementById(id)) faults.push(`${name} names “${id}”, which is not there`)
            }
        }
    }
    if (document.querySelector("script")) faults.push("a script")
    return faults
}
