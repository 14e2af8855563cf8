/** Dutch, as recall needs it. */
import { languageFrom, type TextLanguage } from './language.ts'

export const dutch: TextLanguage = languageFrom({
  code: 'nl',
  stopWords: `
    de het een t n der des den dit dat deze die al alle alles elk elke ieder iedere iedereen iemand iets niemand niets geen enkele sommige
    veel vele meer meest weinig minder andere ander zulke zelf zelfde beide
    ik mij me mijn mijne jij je jou jouw u uw hij hem zijn zij ze haar het wij we ons onze jullie hun hen zich zichzelf
    wie wat wanneer waar hoe waarom welke welk waarheen waarmee waarvoor waarover waarvan waaraan hoeveel
    ben bent is zijn was waren geweest wees heb hebt heeft hebben had hadden gehad word wordt worden werd werden geworden zal zult zullen zou
    zouden kan kun kunt kunnen kon konden moet moeten moest moesten mag mogen mocht wil wilt willen wilde wilden doe doet doen deed deden
    gedaan ga gaat gaan ging gingen laat laten
    en of maar want omdat dat als toen terwijl hoewel voordat nadat zodat tenzij indien noch
    in op aan bij met naar van voor door over onder om tot te uit tegen zonder tussen achter naast binnen buiten sinds tijdens vanaf per
    niet nooit altijd ook nog al wel niet zo heel erg zeer te toch maar even eens dan daar hier er nu weer vaak soms misschien dus daarom
    daarna eerst alleen bijna echt gewoon eigenlijk ja nee bedankt dank hallo hoi alsjeblieft alstublieft oké ok af toe
  `,
  talkWords: `
    zeg zegt zeggen zei zeiden gezegd praat praten praatte praatten gepraat spreek spreekt spreken sprak spraken gesproken noem noemt noemen
    noemde noemden genoemd lijst lijsten lijstje bericht berichten woord woorden onderwerp onderwerpen vraag vragen vroeg vroegen gevraagd
    antwoord antwoorden antwoordde geantwoord chat chats gechat eerder opgesomd som daarnet laatst
  `,
  talkBeginnings:
    'vermeld besprek besprak besproken gesprek vertel verteld discuss discuti herinner samenvat samengevat opsom herhaal vergeten vergat',
  questionStarts: `
    wat | wanneer | waar | wie | wiens | welke | welk | hoe | hoeveel | hoelang | waarom | waarheen | waarmee | waarvoor |
    waarover | waarvan | waaraan | waaruit | waarop | in welke | in welk | op welke | op welk | met wie | met welke | van wie |
    voor wie | aan wie | bij wie | bij welke | naar welke | uit welke | sinds wanneer | tot wanneer | om hoe laat | voor welke |
    heb ik | hebben we | hebben wij | heb je | had ik | hadden we | heeft | was | waren | ben ik | zei ik | weet je nog |
    weet je | herinner je | herinner je je | herinner mij | herinner me | kun je me herinneren | kan je me herinneren |
    kun je me zeggen | kun je me vertellen | vertel me | zeg me | ik ben vergeten | ik weet niet meer | ik herinner me niet |
    vat | samenvatting | kun je samenvatten | geef een samenvatting | geef me een samenvatting | maak een samenvatting | lijst |
    maak een lijst | geef een lijst | geef me een lijst | som | noem | de vorige keer | vorige keer | laatst | onlangs |
    herhaal | zoek | vind
  `,
  openings: `
    hallo | hoi | hé | hey | hi | dag | goedemorgen | goedemiddag | goedenavond | oké | ok | en | maar | dus | nou | ja | nee |
    ah | oh | hm | hmm | bedankt | dank je | trouwens | overigens | alsjeblieft | sorry | wacht | een vraag | nog een vraag |
    vraagje | vraag | nu | dan | ook | zeg
  `,
  rules: `
    altijd | nooit | nooit meer | vanaf nu | van nu af aan | voortaan | vanaf vandaag | elke keer | iedere keer | telkens |
    in de toekomst | in het vervolg | zorg ervoor | zorg dat | mag niet | je mag niet | moet altijd | in geen geval |
    onder geen beding | zonder uitzondering | standaard | onthoud | denk eraan | vergeet niet | gebruik geen | gebruik nooit |
    vermijd | stop met | tot nader order | in principe
  `,
  wishes: `
    ik verkies | ik prefereer | ik geef de voorkeur | ik hou van | ik houd van | ik hou niet van | ik haat | ik wil |
    ik zou graag | ik wil graag | ik heb liever | ik zou liever | ik wens | ik vind … leuk | ik vind … lekker | ik vind … mooi |
    ik … liever | ik … graag | wij willen | we willen | we zouden graag | mijn favoriete | mijn favoriet | mijn voorkeur |
    mijn lievelings* | alsjeblieft … in de toekomst | alsjeblieft … voortaan | gebruik alsjeblieft |
    liever geen | liever niet | ik ben allergisch | ik ben fan | ik ben geïnteresseerd
  `,
  self: 'ik | mij | me | mijn | mijne | mezelf | wij | we | ons | onze',
  calendar: {
    months: 'januari, februari, maart, april, mei, juni, juli, augustus, september, oktober, november, december',
    shortMonths: 'jan, feb, mrt, apr, mei, jun, jul, aug, sept?, okt, nov, dec',
    before: 'in|sinds|vanaf|tot|van|afgelopen|vorige|begin|eind|medio|deze|de|en|of|voor|na|tussen|rond|jaar|maand',
    between: 'van',
    ordinal: 'e|de|ste',
    weekdays: 'maandag, dinsdag, woensdag, donderdag, vrijdag, zaterdag, zondag',
    today: 'vandaag|vanochtend|vanmorgen|vanmiddag|vanavond',
    yesterday: 'gisteren|gisteravond',
    dayBeforeYesterday: 'eergisteren',
    last: {
      week: '(?:vorige|afgelopen|verleden) week',
      month: '(?:vorige|afgelopen|verleden) maand',
      year: '(?:van )?(?:vorig|afgelopen|verleden) jaar',
    },
    current: { week: 'deze week', month: 'deze maand', year: 'dit jaar' },
    units: { day: 'dag(?:en)?', week: 'we(?:ek|ken)', month: 'maand(?:en)?', year: 'ja(?:ar|ren)' },
    ago: '{n} {u} geleden',
    numbers: 'een, twee, drie, vier, vijf, zes, zeven, acht, negen, tien, elf, twaalf',
  },
})
