/** Words by which a sentence says that something was decided, done, or is still to do, in the languages that recall knows. */
import { AFTER_WORD, BEFORE_WORD } from '../recall/language/languages/language.ts'

/** Parts of sentences in lower case and without accents, for languages that have spaces between words. */
const SPACED = [
  "decided|we decided|decision|agreed|let's go with|let us go with|let's use|we'll use|we will use|i'll take|i will take|go with|chose|settled on|the plan is|deadline|due (?:on|by)|must|todo|to do|next step|still open|instead of|because|the problem (?:is|was)|it turns out|turned out|root cause|fixed|confirmed|booked|cancel(?:led|ed)|the answer is|in short|conclusion",
  'entschieden|beschlossen|entscheidung|vereinbart|einigen wir|wir nehmen|wir verwenden|ich nehme|nehmen wir|frist|bis spatestens|muss|offen bleibt|nachster schritt|stattdessen|weil|das problem (?:ist|war)|stellt sich heraus|ursache|behoben|bestatigt|gebucht|storniert|kurz gesagt|fazit',
  "decide|decidons|decision|d'accord pour|convenu|on prend|nous prenons|je prends|delai|echeance|avant le|doit|prochaine etape|parce que|car|le probleme (?:est|etait)|confirme|reserve|annule|en bref|conclusion",
  'decidido|decidimos|decision|acordado|acordamos|vamos a usar|me quedo con|plazo|fecha limite|debe|siguiente paso|porque|el problema (?:es|era)|confirmado|reservado|cancelado|en resumen|conclusion',
  'deciso|abbiamo deciso|decisione|concordato|prendiamo|usiamo|prendo|scadenza|deve|prossimo passo|perche|il problema (?:e|era)|confermato|prenotato|annullato|in breve|conclusione',
  'decidi|decidimos|decisao|combinado|vamos usar|fico com|prazo|deve|proximo passo|porque|o problema (?:e|era)|confirmado|reservado|cancelado|em resumo|conclusao',
  'besloten|beslissing|afgesproken|we nemen|we gebruiken|ik neem|deadline|moet|volgende stap|omdat|het probleem (?:is|was)|bevestigd|geboekt|geannuleerd|kortom|conclusie',
  'zdecydowal\\w*|postanowi\\w*|decyzja|ustalili\\w*|uzgodni\\w*|bierzemy|uzyjemy|termin|musi|nastepny krok|poniewaz|problem (?:jest|byl)|potwierdz\\w*|zarezerwow\\w*|anulow\\w*|podsumowujac|wniosek',
].join('|')

/** The same for Japanese and Chinese. */
const UNSPACED =
  '決め|決定|決まり|合意|にします|にしよう|採用|締め切り|締切|期限|までに|必要があ|次のステップ|なぜなら|問題は|原因|修正し|確認でき|予約し|キャンセル|結論|要するに|决定|決定|同意|采用|採用|截止|必须|必須|下一步|因为|因為|问题是|問題是|原因|修复|修復|确认|確認|预订|預訂|取消|结论|結論|总之|總之'

const CUES = new RegExp(`${BEFORE_WORD}(?:${SPACED})${AFTER_WORD}|${UNSPACED}`, 'u')

/** Whether a sentence, in lower case and without accents, says such a thing. */
export const decides = (plain: string): boolean => CUES.test(plain)
