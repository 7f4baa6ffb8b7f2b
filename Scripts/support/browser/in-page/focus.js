// The place in the document of what has the focus; -1 if nothing has it.
() => document.activeElement === document.body ? -1 : [...document.querySelectorAll("*")].indexOf(document.activeElement)
