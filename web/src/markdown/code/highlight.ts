// Highlights code with lowlight; loaded with the first code that names a language.
import { common, createLowlight } from 'lowlight'
import { type Shade, shadesOf } from './shades.ts'

/** Loaded with the first code that has a language; see `use-lazily`. */
export type Highlight = (language: string, code: string) => readonly Shade[]

const lowlight = createLowlight(common)

export const highlight: Highlight = (language, code) => shadesOf(lowlight.highlight(language, code).children)
