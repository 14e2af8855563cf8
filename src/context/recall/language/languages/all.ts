/** All languages that have word lists; English comes first because it decides where nothing else does. */
import { english } from './en.ts'
import type { TextLanguage } from './language.ts'

export const languages: readonly [TextLanguage, ...TextLanguage[]] = [english]
