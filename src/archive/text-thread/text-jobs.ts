// The functions over whole texts that run in the text thread.
import { attribute } from '../../context/synthesis/attribution.ts'
import { htmlOfFile, htmlOfMessage, htmlOfPiece } from '../output/html.ts'
import { markdownOfPiece } from '../output/markdown.ts'

export { attribute, htmlOfFile, htmlOfMessage, htmlOfPiece, markdownOfPiece }
