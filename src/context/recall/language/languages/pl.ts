/** Polish, as recall needs it. */
import { languageFrom, type TextLanguage } from './language.ts'

export const polish: TextLanguage = languageFrom({
  code: 'pl',
  stopWords: `
    ten ta to ci te tego tej temu tym tych tymi tę tą ów tamten tamta tamto tamtego tamtej taki taka takie takich takiego każdy każda każde
    każdego wszystko wszyscy wszystkie wszystkich inny inna inne innych sam sama samo sami żaden żadna żadne ktoś coś nikt nic ktokolwiek
    jakiś jakaś jakieś kilka wiele wielu dużo mało więcej mniej bardzo
    ja mnie mi mną mój moja moje mojego mojej moich moim moją mym ty ciebie cię tobie ci tobą twój twoja twoje twojego twojej twoich on ona ono
    jego go jemu mu nim niego jej ją nią niej my nas nam nami nasz nasza nasze naszego naszej naszych wy was wam wami wasz wasza wasze oni one
    ich im nimi nich się siebie sobie sobą swój swoja swoje swojego swojej swoich pan pani
    kto kogo komu kim co czego czemu czym kiedy gdzie jak dlaczego czy który która które którego której których którym którą ile jaki jaka
    jakie jakiego jakiej jakich skąd dokąd po co
    jestem jesteś jest jesteśmy są był była było byli były byłem byłam być będę będzie będą będziesz będziemy mam masz ma mamy macie mają
    miał miała miało mieli miałem miałam mieć mogę możesz może możemy mogą mógł mogła móc muszę musisz musi trzeba można powinien powinna chcę
    chcesz chce zostać został została
    i oraz a ale lub albo ani więc bo ponieważ że żeby aby gdy gdyby jeśli jeżeli choć chociaż jednak natomiast zaś niż
    w we na z ze do od o po przy za pod nad przed między przez dla bez u ku wobec podczas według oprócz około
    nie nigdy zawsze też także tylko już jeszcze tu tutaj tam teraz wtedy potem tak no prawie bardzo może chyba zatem raczej właśnie znowu
    dzięki dziękuję cześć hej proszę dobrze ok by
  `,
  talkWords: `
    mówię mówisz mówi mówił mówiła mówiłem mówiłam mówiliśmy mówić powiedz powiedział powiedziała powiedziałem powiedziałam powiedziałeś
    powiedzieć powiedziano lista listę listy wiadomość wiadomości słowo słowa temat tematy tematu pytanie pytania pytałem pytałam pytał pytać
    odpowiedź odpowiedzi odpowiedział czat czacie czatu wcześniej wymień wymienić cytuj
  `,
  talkBeginnings:
    'wspom wspomn rozmaw rozmow dyskut dyskusj omów omaw opowiad opowiedz przypomn przypomin pamięta podsum streść streszcz zapomn powtórz wyjaśn',
  questionStarts: `
    co | czego | czemu | czym | kto | kogo | komu | z kim | kiedy | gdzie | jak | dlaczego | który | która | które | którego |
    której | których | którą | ile | ilu | jaki | jaka | jakie | jakiego | jakiej | jakich | jaką | skąd | dokąd | po co |
    od kiedy | do kiedy | na co | na kiedy | na jakim | na jaki | na jaką | o czym | o kim | o której | o jakim | w jakim |
    w jakiej | w którym | w której | w co | z czym | z czego | z jakiego | za co | dla kogo | do kogo | do czego | u kogo |
    przez kogo | czy | pamiętasz | czy pamiętasz | przypomnij | przypomnij mi | możesz mi przypomnieć | możesz przypomnieć |
    możesz mi powiedzieć | powiedz mi | powiedz | zapomniałem | zapomniałam | nie pamiętam | podsumuj | streść |
    zrób podsumowanie | możesz podsumować | wymień | wypisz | zrób listę | lista | podaj | ostatnim razem | ostatnio | powtórz |
    znajdź | poszukaj | mówiłem | mówiłam
  `,
  openings: `
    cześć | hej | witaj | dzień dobry | dobry wieczór | siema | ok | dobra | dobrze | a | i | ale | no | więc | to | tak | nie |
    ach | och | aha | hm | hmm | dzięki | dziękuję | przy okazji | swoją drogą | proszę | przepraszam | czekaj | pytanie |
    jedno pytanie | jeszcze jedno pytanie | teraz | też | słuchaj
  `,
  rules: `
    zawsze | nigdy | nigdy więcej | od teraz | od tej pory | od dziś | od dzisiaj | za każdym razem | w przyszłości |
    na przyszłość | upewnij się | pamiętaj o | pamiętaj że | pamiętaj, że | pamiętaj, żeby | pamiętaj aby | nie wolno |
    nie możesz | nie powinieneś | w żadnym wypadku | pod żadnym pozorem | bez wyjątku | domyślnie | nie zapomnij |
    nie zapominaj | nie używaj | unikaj | przestań | do odwołania | z zasady | każdorazowo
  `,
  wishes: `
    wolę | wolałbym | wolałabym | lubię | bardzo lubię | nie lubię | uwielbiam | kocham | nienawidzę | nie cierpię | chcę |
    chciałbym | chciałabym | pragnę | życzę sobie | chcemy | wolimy | chcielibyśmy | preferuję | mój ulubiony | moja ulubiona |
    moje ulubione | moim ulubionym | moją ulubioną | podoba mi się | podobają mi się | smakuje mi | proszę … w przyszłości |
    proszę … od teraz | proszę używaj | proszę nie | jestem fanem | jestem fanką | mam alergię | jestem uczulony |
    jestem uczulona | interesuje mnie | interesuję się
  `,
  self: `
    ja | mnie | mi | mną | mój | moja | moje | mojego | mojej | moich | moim | moją | my | nas | nam | nasz | nasza | nasze |
    naszego | naszej | jestem | mam | chcę | lubię | wolę | byłem | byłam | miałem | miałam | mogę | muszę | mieszkam |
    jesteśmy | mamy | byliśmy
  `,
  calendar: {
    months:
      'styczen|stycznia|styczniu, luty|lutego|lutym, marzec|marca|marcu, kwiecien|kwietnia|kwietniu, maj|maja|maju, czerwiec|czerwca|czerwcu, lipiec|lipca|lipcu, sierpien|sierpnia|sierpniu, wrzesien|wrzesnia|wrzesniu, pazdziernik|pazdziernika|pazdzierniku, listopad|listopada|listopadzie, grudzien|grudnia|grudniu',
    shortMonths: 'sty, lut, mar, kwi, maj, cze, lip, sie, wrz, paz, lis, gru',
    before:
      'w|we|od|do|z|ze|na|po|przed|i|lub|zeszlego|ostatniego|ubieglego|miedzy|okolo|konca|poczatku|roku|rok|miesiacu|tym|zeszlym',
    between: 'roku',
    ordinal: 'go|ego',
    dotted: true,
    weekdays:
      'poniedzialek|poniedzialku, wtorek|wtorku, srod[aey]|srode, czwartek|czwartku, piatek|piatku, sobot[aey]|sobote, niedziel[aei]|niedziele',
    today: 'dzisiaj|dzis|dzis rano',
    yesterday: 'wczoraj|wczoraj wieczorem',
    dayBeforeYesterday: 'przedwczoraj',
    last: {
      week: '(?:zeszlym|ubieglym|poprzednim|ostatnim) tygodniu|(?:zeszly|ubiegly|poprzedni|ostatni) tydzien|zeszlego tygodnia',
      month: '(?:zeszlym|ubieglym|poprzednim|ostatnim) miesiacu|(?:zeszly|ubiegly|poprzedni|ostatni) miesiac|zeszlego miesiaca',
      year: '(?:zeszlym|ubieglym|poprzednim|ostatnim) roku|(?:zeszly|ubiegly|poprzedni|ostatni) rok|(?:zeszlego|ubieglego) roku',
    },
    current: { week: 'tym tygodniu|ten tydzien', month: 'tym miesiacu|ten miesiac', year: 'tym roku|ten rok' },
    units: { day: 'dni|dzien', week: 'tydzien|tygodnie|tygodni', month: 'miesiac|miesiace|miesiecy', year: 'rok|lata|lat' },
    ago: '(?:{n} )?{u} temu',
    numbers: 'jeden|jedna|jedno, dwa|dwie, trzy, cztery, piec, szesc, siedem, osiem, dziewiec, dziesiec, jedenascie, dwanascie',
  },
})
