// Decides which formulas may be typeset, and how far their commands may expand.

/** Longer formulas are shown as their source. */
const LONGEST = 5000

/** Commands that write to the console, or a style attribute where the page's policy allows none. */
const REFUSED = /\\(?:message|errmessage|show|fcolorbox)(?![a-zA-Z])/

/** Commands by which a formula defines others, and may grow without end. */
const DEFINES = /\\(?:[gex]?def|let|futurelet|(?:new|renew|provide)command)(?![a-zA-Z])/

export const isSettable = (tex: string): boolean => tex.length <= LONGEST && !REFUSED.test(tex)

/** What the typesetter gets, and how many commands it may expand. */
export function prepared(tex: string): { readonly source: string; readonly maxExpand: number } {
  return {
    // Both are bold; the one that people write is drawn with a style attribute.
    source: tex.replace(/\\pmb(?![a-zA-Z])/g, '\\boldsymbol'),
    // Each replacement of a command that the formula itself defines may be as long as the formula.
    maxExpand: DEFINES.test(tex) ? Math.floor(50_000 / tex.length) : 1000,
  }
}
