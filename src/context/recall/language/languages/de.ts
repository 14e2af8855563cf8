/** German, as recall needs it. */
import { languageFrom, type TextLanguage } from './language.ts'

export const german: TextLanguage = languageFrom({
  code: 'de',
  stopWords: `
    der die das den dem des ein eine einer eines einem einen kein keine keiner keines keinem keinen dieser diese dieses diesem diesen
    jener jene jenes jenem jenen jeder jede jedes jedem jeden alle aller alles allem allen manche mancher manches viel viele vieler wenig
    wenige mehr meist meiste meisten einige einiger etwas nichts niemand jemand man selbst selber beide beiden andere anderer anderes
    anderem anderen solche solcher solches
    ich mich mir mein meine meiner meines meinem meinen du dich dir dein deine deiner deines deinem deinen er ihn ihm sein seine seiner
    seines seinem seinen sie ihr ihre ihrer ihres ihrem ihren es wir uns unser unsere unserer unseres unserem unseren euch euer eure eurer
    eurem euren ihnen sich
    wer wen wem wessen was wann wo wie warum wieso weshalb wohin woher womit wofür woran worauf worüber wovon wozu welche welcher welches
    welchem welchen
    bin bist ist sind seid war warst waren wart gewesen sei wäre wären habe hab hast hat haben habt hatte hattest hatten hattet gehabt
    hätte hätten werde wirst wird werden werdet wurde wurden worden geworden würde würdest würden kann kannst können könnt konnte konnten
    könnte könnten muss musst müssen musste mussten soll sollst sollen sollte sollten will willst wollen wollte wollten darf darfst dürfen
    durfte mag magst mögen möchte möchten lass tun tut tat getan machen macht gemacht gibt gab
    und oder aber sondern denn weil dass daß ob wenn als falls obwohl während bevor nachdem damit sodass sowie sowohl weder noch entweder
    in im ins an am ans auf aus bei beim mit nach seit von vom zu zum zur für durch gegen ohne um über unter vor hinter neben zwischen bis
    ab wegen trotz statt außer
    nicht nie niemals immer auch nur schon noch sehr so zu ganz gar doch mal ja nein eben halt wohl etwa fast gerade jetzt nun dann da dort
    hier hin her wieder immer oft manchmal vielleicht also daher darum deshalb trotzdem dabei dafür dagegen daran darauf daraus darin
    darüber davon dazu jedoch bereits bitte danke hallo okay ok einfach eigentlich überhaupt ungefähr
  `,
  talkWords: `
    sag sage sagst sagt sagen sagte sagtest sagten gesagt sprich spreche sprichst spricht sprach sprachen gesprochen sprechen rede reden
    redet redeten geredet red nenn nenne nennst nennt nennen nannte nannten genannt liste listen auflisten aufliste frag frage fragen fragte
    fragten gefragt thema themen wort worte nachricht nachrichten antwort antworten antwortete geantwortet chat chats gechattet meinte
    gemeint nochmal früher vorhin neulich
  `,
  talkBeginnings:
    'erwähn erwaehn besproch besprech erzähl erzaehl unterh unterhielt gespräch gespraech diskut diskuss erinner zusammenfass zusammengefasst zusammenfassung wiederhol vergess vergaß berichte',
  questionStarts: `
    was | wann | wo | wer | wen | wem | wessen | wie | wieviel | wieviele | warum | wieso | weshalb | weswegen | wohin | woher |
    womit | wofür | wofuer | woran | worauf | worüber | worueber | wovon | wozu | wodurch | welche | welcher | welches |
    welchem | welchen | in welcher | in welchem | in welche | an welchem | an welcher | auf welche | auf welcher | mit wem |
    mit welchem | mit welcher | bei wem | bei welchem | von wem | von welchem | für wen | für welche | zu welchem |
    um wie viel | um welche | seit wann | bis wann | aus welchem | aus welcher | nach welchem | über was | mit was | habe ich |
    hab ich | hatte ich | haben wir | hatten wir | hast du | hattest du | hat | hatte | war | waren | bin ich | sind wir |
    weißt du noch | weißt du | weisst du | erinnerst du dich | erinnern sie sich | erinnere mich | erinner mich |
    kannst du mich erinnern | kannst du mich daran erinnern | kannst du mir sagen | könntest du mir sagen | sag mir | sage mir |
    erzähl | erzähle | erzaehl | ich habe vergessen | ich hab vergessen | ich weiß nicht mehr | ich weiss nicht mehr |
    ich erinnere mich nicht | fass | fasse | kannst du … zusammenfassen | zusammenfassung | liste | zähl | zähle | nenne |
    nenn | wiederhole | wiederhol | letztes mal | beim letzten mal | neulich | vorhin | such | suche | finde |
    gib mir eine liste | gib mir eine übersicht | gib mir eine zusammenfassung | gab es | sagte ich
  `,
  openings: `
    hallo | hi | hey | he | guten morgen | guten tag | guten abend | moin | servus | ok | okay | und | aber | also | so | na |
    ja | nein | ach | ach ja | ah | oh | hm | hmm | gut | danke | übrigens | uebrigens | bitte | sorry | entschuldige |
    entschuldigung | moment | nochmal | noch eine frage | eine frage | kurze frage | frage | sag mal | dann | jetzt | nur | du
  `,
  rules: `
    immer | nie | niemals | nie wieder | ab jetzt | ab sofort | von nun an | von jetzt an | ab heute | jedes mal | jedesmal |
    künftig | in zukunft | zukünftig | grundsätzlich | stets | achte darauf | achte immer | stell sicher | stelle sicher |
    darfst nicht | darf nicht | auf keinen fall | unter keinen umständen | in jedem fall | auf jeden fall | ohne ausnahme |
    merk dir | merke dir | denk daran | denk dran | denke daran | verwende nur | verwende kein | verwende keine |
    benutze keine | nutze keine | bis auf weiteres | standardmäßig | hör auf | vermeide
  `,
  wishes: `
    ich bevorzuge | ich mag | ich liebe | ich hasse | ich möchte | ich moechte | ich will | ich wünsche | ich wünschte |
    ich hätte gern | ich hätte gerne | ich hätte lieber | ich würde gern | ich würde gerne | ich würde lieber | mir gefällt |
    mir ist wichtig | mir ist lieber | mir wäre lieber | es wäre mir lieber | am liebsten | mein liebster | meine liebste |
    mein lieblings* | meine lieblings* | ich esse gern | ich esse gerne |
    ich … lieber | ich … gern | ich … gerne | bitte … in zukunft | bitte … künftig | bitte verwende | bitte nutze |
    bitte benutze | bitte keine | bitte kein | bitte nicht | wir möchten | wir bevorzugen | wir wollen | ich interessiere mich |
    ich bin allergisch
  `,
  self: `
    ich | mich | mir | mein | meine | meiner | meines | meinem | meinen | meins | wir | uns | unser | unsere | unserer |
    unseres | unserem | unseren
  `,
  calendar: {
    months: 'januar|janner, februar|feber, marz|maerz, april, mai, juni, juli, august, september, oktober, november, dezember',
    shortMonths: 'jan, feb, mrz, apr, mai, jun, jul, aug, sept?, okt, nov, dez',
    before:
      'im|in|seit|bis|ab|vom|von|letzten|letzter|vergangenen|diesen|diesem|anfang|ende|mitte|den|der|und|oder|vor|nach|zwischen|jahr|jahre|jahres|monat',
    between: 'des',
    ordinal: 'ten|te|er',
    dotted: true,
    weekdays: 'montag, dienstag, mittwoch, donnerstag, freitag, samstag|sonnabend, sonntag',
    today: 'heute|heute morgen|heute abend',
    yesterday: 'gestern|gestern abend',
    dayBeforeYesterday: 'vorgestern',
    last: {
      week: '(?:letzte|letzter|letzten|vorige|voriger|vergangene|vergangener) woche',
      month: '(?:letzten|letzter|letzte|letztem|vorigen|vorigem|vergangenen|vergangenem) monat',
      year: '(?:letztes|letzten|letztem|letzte|voriges|vorigen|vergangenes|vergangenen) jahr(?:es|e)?',
    },
    current: { week: 'diese woche|dieser woche', month: 'diesen monat|diesem monat', year: 'dieses jahr|diesem jahr|heuer' },
    units: { day: 'tage?n?', week: 'wochen?', month: 'monate?n?', year: 'jahre?n?' },
    ago: 'vor {n} {u}',
    numbers: 'einem|einer|ein|eine|einen, zwei, drei, vier, funf|fuenf, sechs, sieben, acht, neun, zehn, elf, zwolf|zwoelf',
  },
})
