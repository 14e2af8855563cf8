import { attribute } from '../context/attribution.ts'
import { htmlOfFile, htmlOfMessage, htmlOfTold } from './write-html.ts'
import { markdownOfTold } from './write-markdown.ts'

// What is done with whole texts when somebody asks for it, in a thread of its own: see `jobs`.
export { attribute, htmlOfFile, htmlOfMessage, htmlOfTold, markdownOfTold }
