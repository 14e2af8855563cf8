/** French, as recall needs it. */
import { languageFrom, type TextLanguage } from './language.ts'

export const french: TextLanguage = languageFrom({
  code: 'fr',
  stopWords: `
    le la les un une des du de d l au aux ce cet cette ces cela ça ceci c celui celle ceux celles tout toute tous toutes chaque quelque
    quelques plusieurs aucun aucune autre autres même mêmes tel telle tels telles peu beaucoup trop assez plus moins très
    je j me m moi mon ma mes mien mienne miens tu te t toi ton ta tes tien tienne il elle on se s soi lui son sa ses sien sienne nous notre
    nos vous votre vos ils elles eux leur leurs y en rien personne quelqu
    qui que qu quoi quel quelle quels quelles quand où comment pourquoi combien lequel laquelle lesquels lesquelles dont auquel duquel
    suis es est sommes êtes sont étais était étions étaient été être sera serai seront serait soit sois fut ai as a avons avez ont avais avait
    avions aviez avaient eu avoir aura aurai auront aurait vais vas va allons allez vont allais allait aller fais fait faisons faites font
    faire faisait peux peut pouvons pouvez peuvent pouvait pourrait pourrais pouvoir dois doit devons devez doivent devait devrait veux
    veut voulez veulent voudrais voudrait faut
    et ou mais donc or ni car si comme lorsque puisque afin parce quoique tandis
    à dans par pour sur sous avec sans chez entre vers contre depuis pendant avant après devant derrière jusque jusqu dès selon malgré
    ne n pas jamais toujours non oui aussi encore déjà ici là alors ensuite puis bien mal maintenant souvent parfois ainsi
    seulement presque surtout plutôt enfin voilà voici aujourd hui merci bonjour salut stp svp ok
  `,
  talkWords: `
    dis dit dite dits dites disais disait disent dire parle parles parlé parler parlait parlais parlons parlez parlent liste listes lister
    message messages mot mots sujet sujets demande demandé demander question questions réponse réponses répondu répondre chat discute
    discuté cité citer cite avant tantôt redis redire
  `,
  talkBeginnings:
    'mention discut convers évoqu évoque racont rappel souvien souvenir souvenu résum recapitul récapitul expliqu oubli préciser',
  questionStarts: `
    que | qu'est-ce que | qu'est-ce qu | qu'est ce que | qu'est-ce qui | qu'ai-je | qu'a | qu'avons | qu'avais | qu'as | quoi |
    qui | quand | où | comment | pourquoi | combien | quel | quelle | quels | quelles | lequel | laquelle | lesquels |
    à quelle | à quel | à qui | à quoi | de quoi | de quel | de quelle | de qui | avec qui | avec quoi | avec quel | dans quel |
    dans quelle | pour qui | pour quoi | pour quelle | pour quel | depuis quand | d'où | en quelle | en quel | par qui |
    chez qui | sur quoi | sur quel | c'était | c'était quand | c'est quoi | est-ce que | est-ce qu | ai-je | avons-nous |
    as-tu | avez-vous | avais-je | étais-je | tu te souviens | te souviens-tu | vous souvenez-vous | te rappelles-tu |
    tu te rappelles | rappelle-moi | rappelle moi | rappelez-moi | peux-tu me rappeler | pouvez-vous me rappeler |
    peux-tu me dire | dis-moi | dis moi | dites-moi | j'ai oublié | je ne me souviens | je ne sais plus | je me souviens plus |
    résume | résumez | résumer | fais un résumé | fais-moi | récapitule | récapitulez | liste | listez | énumère | cite |
    citez | la dernière fois | l'autre jour | cherche | retrouve | peux-tu résumer | peux-tu lister | donne-moi la liste |
    donne-moi un résumé | répète
  `,
  openings: `
    bonjour | salut | bonsoir | coucou | hello | hey | ok | d'accord | et | mais | alors | bon | ben | bien | oui | non | ah |
    oh | euh | hm | hmm | merci | au fait | à propos | s'il te plaît | s'il vous plaît | stp | svp | pardon | désolé | attends |
    une question | petite question | question | encore une question | dis | donc | maintenant | puis | aussi
  `,
  rules: `
    toujours | jamais | plus jamais | désormais | dorénavant | à partir de maintenant | à partir d'aujourd'hui | chaque fois |
    à chaque fois | à l'avenir | systématiquement | assure-toi | assurez-vous | veille à | veillez à | il ne faut pas |
    il faut toujours | tu ne dois pas | vous ne devez pas | ne dois pas | en aucun cas | sous aucun prétexte | sans exception |
    par défaut | retiens que | souviens-toi que | n'oublie pas | n'oubliez pas | garde en tête | n'utilise pas |
    n'utilise plus | évite | arrête de | jusqu'à nouvel ordre | en toutes circonstances
  `,
  wishes: `
    je préfère | je préférerais | j'aime | j'aime bien | j'adore | je déteste | je n'aime pas | j'aime pas | j'aimerais |
    je voudrais | je veux | je souhaite | je souhaiterais | j'apprécie | nous préférons | nous aimerions | nous voulons |
    on préfère | mon préféré | ma préférée | mes préférés | mon … préféré | ma … préférée | mon favori | ma préférence |
    s'il te plaît … à l'avenir | s'il vous plaît … à l'avenir | je suis fan | je suis allergique | je m'intéresse |
    je suis passionné | merci de ne pas | merci d'utiliser
  `,
  self: `
    je | j | me | moi | mon | ma | mes | mien | mienne | nous | notre | nos
  `,
  calendar: {
    months: 'janvier, fevrier, mars, avril, mai, juin, juillet, aout, septembre, octobre, novembre, decembre',
    shortMonths: 'janv, fevr?, mars, avr, mai, juin, juil, aout, sept, oct, nov, dec',
    before: "en|de|d|depuis|jusqu'en|jusqu'a|fin|debut|mi|mois de|et|ou|entre|avant|apres|annee|pour|des|dernier",
    between: 'de',
    ordinal: 'er|e|eme',
    weekdays: 'lundi, mardi, mercredi, jeudi, vendredi, samedi, dimanche',
    today: "aujourd'hui|ce matin|ce soir|cet apres-midi",
    yesterday: 'hier|hier soir',
    dayBeforeYesterday: 'avant-hier|avant hier',
    last: {
      week: '(?:la )?semaine (?:derniere|passee|precedente)',
      month: '(?:le )?mois (?:dernier|passe|precedent)',
      year: "(?:de )?(?:l')?(?:annee (?:derniere|passee|precedente)|an (?:dernier|passe))",
    },
    current: { week: 'cette semaine', month: 'ce mois-ci|ce mois', year: 'cette annee' },
    units: { day: 'jours?', week: 'semaines?', month: 'mois', year: 'ans?|annees?' },
    ago: '(?:il y a|ya) {n} {u}',
    numbers: 'une?, deux, trois, quatre, cinq, six, sept, huit, neuf, dix, onze, douze',
  },
})
