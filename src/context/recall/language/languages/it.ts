/** Italian, as recall needs it. */
import { languageFrom, type TextLanguage } from './language.ts'

export const italian: TextLanguage = languageFrom({
  code: 'it',
  stopWords: `
    il lo la i gli le l un uno una di del dello della dei degli delle dell d a al allo alla ai agli alle all ad da dal dallo dalla dai dagli
    dalle dall in nel nello nella nei negli nelle nell con col su sul sullo sulla sui sugli sulle sull per tra fra senza sopra sotto contro
    verso presso durante dopo prima dietro davanti fino
    questo questa questi queste quest quello quella quelli quelle quel quei quegli quell ciò stesso stessa stessi stesse altro altra altri
    altre ogni ognuno qualche qualcuno qualcosa nessuno nessuna niente nulla tutto tutta tutti tutte molto molta molti molte poco poca pochi
    poche tanto tanta tanti tante troppo più meno parecchio alcuni alcune
    io me mi mio mia miei mie tu te ti tuo tua tuoi tue lui lei egli ella esso si sé suo sua suoi sue noi ci c nostro nostra nostri nostre voi
    vi vostro vostra vostri vostre loro ne
    chi che cosa cos quale quali qual quando dove come perché quanto quanta quanti quante
    sono sei è siamo siete era eri ero eravamo erano fu fui stato stata stati state essere sarà sarebbe sia ho hai ha abbiamo avete hanno
    avevo avevi aveva avevamo avevano avere avuto avrà avrebbe faccio fai fa facciamo fanno fare fatto faceva posso puoi può possiamo possono
    potrebbe potere devo devi deve dobbiamo devono dovrebbe voglio vuoi vuole vado vai va andiamo vanno sto stai sta stiamo stanno stare
    e ed o od ma se anche né però quindi dunque poiché mentre affinché sebbene
    non no sì mai sempre già ancora ora adesso allora poi qui qua lì là così solo soltanto quasi forse molto bene male proprio pure invece
    spesso grazie ciao favore ok
  `,
  talkWords: `
    dico dici dice diceva disse dissi dicesti detto detta dire dimmi parlo parli parla parlato parlare parlava parlavo parlavamo parlammo
    lista liste elenco elenca elencare messaggio messaggi parola parole argomento argomenti tema domanda domande chiesto chiedere chiesi
    risposta risposte risposto rispondere chat cita citato citare nomina nominato precedentemente
  `,
  talkBeginnings: 'menzion discut discuss convers ricord riassum riassunt racconta raccont accenn spieg dimentic ripet',
  questionStarts: `
    che | che cosa | cosa | cos'è | cos'ho | cos'era | chi | quale | quali | qual è | qual era | quando | dove | dov'è |
    dov'era | come | com'era | perché | quanto | quanta | quanti | quante | a che | a chi | a quale | con chi | con che |
    con quale | da chi | da quando | da dove | da quanto | di che | di chi | di cosa | di quale | in che | in quale | in quali |
    per chi | per che | per quale | su cosa | su quale | fino a quando | ho | abbiamo | hai | avevo | avevamo | ero | era |
    erano | ti ho | ti avevo | ti ricordi | si ricorda | ricordi | ricordami | ricordamelo | puoi ricordarmi | mi ricordi |
    puoi dirmi | potresti dirmi | mi dici | dimmi | ho dimenticato | non ricordo | non mi ricordo | riassumi | riassumimi |
    riassunto | fai un riassunto | fammi un riassunto | puoi riassumere | elenca | elencami | lista | fammi una lista |
    fai una lista | cita | nomina | l'ultima volta | l'altro giorno | ripeti | cerca | trova
  `,
  openings: `
    ciao | salve | buongiorno | buonasera | ehi | hey | ok | va bene | bene | e | ma | allora | quindi | dunque | sì | no | ah |
    oh | eh | hm | hmm | grazie | a proposito | comunque | per favore | scusa | scusami | aspetta | una domanda |
    un'altra domanda | domanda | ora | poi | anche | senti
  `,
  rules: `
    sempre | mai | mai più | d'ora in poi | d'ora in avanti | da ora in poi | da adesso | da oggi in poi | ogni volta |
    in futuro | assicurati | si assicuri | non devi | non deve | non si deve | in nessun caso | per nessun motivo |
    senza eccezioni | di default | ricorda che | ricordati di | ricordati che | tieni presente | tieni a mente |
    non dimenticare | non usare | evita | smetti di | fino a nuovo avviso | di regola | in ogni caso
  `,
  wishes: `
    preferisco | preferirei | mi piace | mi piacciono | non mi piace | non mi piacciono | adoro | amo | odio | detesto |
    mi piacerebbe | vorrei | voglio | desidero | vogliamo | vorremmo | preferiamo | il mio preferito | la mia preferita |
    il mio … preferito | la mia … preferita | i miei … preferiti | le mie … preferite | la mia preferenza |
    per favore … in futuro | per favore … d'ora in poi | per favore usa | per favore non | sono un fan | sono allergico |
    sono allergica | mi interessa | mi interessano | sono appassionato
  `,
  self: `
    io | me | mi | mio | mia | miei | mie | noi | nostro | nostra | nostri | nostre | ho | sono | voglio | vado | posso | devo |
    vorrei | penso | credo | abbiamo | siamo | preferisco | vivo | ero | avevo
  `,
  calendar: {
    months: 'gennaio, febbraio, marzo, aprile, maggio, giugno, luglio, agosto, settembre, ottobre, novembre, dicembre',
    shortMonths: 'genn?, febbr?, mar, apr, magg?, giu, lug, ago, sett?, ott, nov, dic',
    before:
      'a|ad|in|di|da|dal|nel|del|dello|dello scorso|lo scorso|scorso|questo|fino a|mese di|anno|e|o|tra|fra|dopo|prima di|per|fine|inizio|meta',
    between: 'di|del',
    ordinal: 'º|o',
    weekdays: 'lunedi, martedi, mercoledi, giovedi, venerdi, sabato, domenica',
    today: 'oggi|stamattina|stamani|stasera',
    yesterday: 'ieri|ieri sera',
    dayBeforeYesterday: "l'altro ieri|altro ieri|avantieri|ieri l'altro",
    last: {
      week: '(?:la )?(?:settimana (?:scorsa|passata)|scorsa settimana)',
      month: '(?:il |lo )?(?:mese (?:scorso|passato)|scorso mese)',
      year: "(?:l'|dell'|lo )?(?:anno (?:scorso|passato)|scorso anno)",
    },
    current: { week: 'questa settimana', month: 'questo mese', year: "quest'anno" },
    units: { day: 'giorn[oi]', week: 'settiman[ae]', month: 'mes[ei]', year: 'ann[oi]' },
    ago: '{n} {u} fa',
    numbers: "un[oa']?, due, tre, quattro, cinque, sei, sette, otto, nove, dieci, undici, dodici",
  },
})
