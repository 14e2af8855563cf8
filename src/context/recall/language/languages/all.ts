/** All languages that have word lists; English comes first because it decides where nothing else does. */
import { german } from './de.ts'
import { english } from './en.ts'
import { spanish } from './es.ts'
import { french } from './fr.ts'
import { italian } from './it.ts'
import { japanese } from './ja.ts'
import type { TextLanguage } from './language.ts'
import { dutch } from './nl.ts'
import { polish } from './pl.ts'
import { portuguese } from './pt.ts'
import { chinese } from './zh.ts'

export const languages: readonly [TextLanguage, ...TextLanguage[]] = [
  ...([english, german, french, spanish, italian, portuguese, dutch, polish, japanese, chinese] as const),
]
