// The functions over whole texts that run in the text thread.
import { attribute } from '../../context/synthesis/attribution.ts'
import { htmlOfFile, htmlOfMessage, htmlOfTold } from '../output/html.ts'
import { markdownOfTold } from '../output/markdown.ts'

// What is done with whole texts when somebody asks for it, in a thread of its own: see `jobs`.
export { attribute, htmlOfFile, htmlOfMessage, htmlOfTold, markdownOfTold }
