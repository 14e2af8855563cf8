/** The style of an exported page: light, dark, on a phone and on paper. */
export const STYLE: string = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #60666c; --line: #d9dde1; --card: #f6f7f9; --paper: #fff; --warn: #9a3412; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ea; --soft: #a0a7ae; --line: #363c42; --card: #1d2226; --paper: #121518; --warn: #fdba74; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 60rem; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1rem; margin: 0 0 .25rem; }
h4, h5, h6 { font-size: 1rem; margin: 1rem 0 .5rem; }
h4 { font-size: 1.125rem; }
.soft, time { color: var(--soft); font-size: .875rem; font-weight: 400; }
.note { color: var(--soft); font-style: italic; margin: 1rem 0; }
.trouble { color: var(--warn); }
main > article { margin: 1.25rem 0; }
.said { background: var(--card); border-radius: .75rem; padding: .75rem 1rem; }
.said .text { white-space: pre-wrap; }
.turns { display: grid; gap: 1rem; margin: 1.25rem 0; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); }
.turns > article { min-width: 0; }
.turns.many > article { border: 1px solid var(--line); border-radius: .75rem; padding: .75rem 1rem; }
.markdown > :first-child, .turns .note { margin-top: .25rem; }
.markdown > :last-child, .turns .note { margin-bottom: .25rem; }
header, article, .note, .text, .markdown { overflow: clip; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .75rem; overflow-x: auto; font-size: .8125rem; white-space: pre-wrap; }
pre.plain { background: none; border: 0; padding: 0; font: inherit; }
code { font-family: ui-monospace, monospace; font-size: .9em; }
blockquote { margin: .75rem 0; padding-left: .75rem; border-left: 3px solid var(--line); color: var(--soft); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: .25rem .5rem; text-align: left; overflow-wrap: break-word; }
.right { text-align: right; }
.center { text-align: center; }
hr { border: 0; border-top: 1px solid var(--line); margin: 1rem 0; }
li > p { margin: .25rem 0; display: inline-block; }
.task { list-style: none; margin-left: -1.25rem; }
img { max-width: 100%; height: auto; border-radius: .5rem; display: block; margin: .5rem 0; }
figure { margin: .5rem 0; }
details { margin: .5rem 0; }
summary { cursor: pointer; color: var(--soft); font-size: .875rem; }
a { color: inherit; }
@media print {
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  .said, pre { background: none; border: 1px solid var(--line); }
  article { break-inside: avoid-page; }
  details:not([open]) > :not(summary) { display: none; }
}
`.trim()
