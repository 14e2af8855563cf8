// The functions over whole texts that run in the text thread.
import { attribute } from '../../context/synthesis/attribution.ts'
import { htmlOfFile, htmlOfMessage, htmlOfTold } from '../output/html.ts'
import { markdownOfTold } from '../output/markdown.ts'

export { attribute, htmlOfFile, htmlOfMessage, htmlOfTold, markdownOfTold }
