/** Portuguese, as recall needs it. */
import { languageFrom, type TextLanguage } from './language.ts'

export const portuguese: TextLanguage = languageFrom({
  code: 'pt',
  stopWords: `
    o a os as um uma uns umas ao aos à às do da dos das no na nos nas num numa pelo pela pelos pelas dum duma deste desta neste nesta nesse
    nessa disso disto nisso dele dela deles delas
    este esta isto estes estas esse essa isso esses essas aquele aquela aquilo aqueles aquelas algo alguém algum alguma alguns algumas nenhum
    nenhuma nada ninguém todo toda todos todas tudo cada outro outra outros outras mesmo mesma mesmos mesmas tal tais muito muita muitos muitas
    pouco pouca poucos poucas mais menos tão tanto tanta tantos vários várias
    eu me mim meu minha meus minhas comigo tu te ti teu tua teus tuas contigo você vocês ele ela se si seu sua seus suas lhe lhes nós nos nosso
    nossa nossos nossas conosco vós vos eles elas
    que quê quem qual quais quando onde aonde como quanto quanta quantos quantas porque porquê
    sou és é somos são era eras éramos eram fui foi foste fomos foram sido ser será seria seja estou está estás estamos estão estava estavam
    esteve estive estar tenho tens tem temos têm tinha tinham teve tive ter tido hei há houve havia haver faço faz fazem fazer fez fiz posso
    pode podes podemos podem podia poderia poder vou vai vais vamos vão ia ir devo deve devem deveria quero quer queres
    e ou nem mas porém se pois embora enquanto portanto
    de em por para com sem sob sobre entre até desde contra após ante perante durante segundo
    não nunca jamais sempre também só somente já ainda aqui ali aí lá cá agora então depois antes assim quase talvez bem mal logo sim
    obrigado obrigada olá oi favor ok tá né
  `,
  talkWords: `
    disse disseste dissemos disseram dito dizer digo diz dizem dizia diga fala falo falas falei falou falaste falamos falaram falado falar
    falava falávamos lista listas listar mensagem mensagens palavra palavras assunto assuntos tema temas pergunta perguntas perguntei perguntou
    perguntar resposta respostas respondeu respondi chat conte contei contou contar cita citar citou citei nomeia anteriormente papo
  `,
  talkBeginnings: 'mencion discut convers lembr record resum coment explic esquec repit repet',
  questionStarts: `
    o que | que | o quê | quem | qual | quais | quando | onde | aonde | como | quanto | quanta | quantos | quantas | por que |
    porque | porquê | por quê | a que | a quem | a qual | com quem | com que | com qual | de que | de quem | de onde | de qual |
    desde quando | até quando | em que | em qual | em quais | para quem | para que | pra quem | pra que | sobre o que |
    sobre que | há quanto tempo | eu disse | eu falei | eu já | já | disse | te disse | te falei | você lembra |
    você se lembra | vc lembra | lembra | lembras-te | lembras | lembre-me | lembra-me | me lembra | me lembre |
    pode me lembrar | pode me dizer | podes dizer-me | você pode me dizer | diga-me | me diga | me diz | diz-me | esqueci |
    eu esqueci | não me lembro | não lembro | resuma | resume | resumo | faça um resumo | faz um resumo | pode resumir | liste |
    lista | enumere | faça uma lista | faz uma lista | cite | nomeie | a última vez | da última vez | outro dia | no outro dia |
    repita | repete | procure | encontre | houve | foi | era | fui
  `,
  openings: `
    olá | oi | bom dia | boa tarde | boa noite | ei | hey | ok | tá | tá bom | certo | bom | bem | e | mas | então | sim | não |
    ah | oh | hm | hmm | obrigado | obrigada | a propósito | aliás | por favor | desculpa | desculpe | espera | uma pergunta |
    outra pergunta | pergunta | agora | também | olha
  `,
  rules: `
    sempre | nunca | jamais | nunca mais | de agora em diante | a partir de agora | daqui em diante | a partir de hoje |
    cada vez | toda vez | todas as vezes | no futuro | doravante | certifique-se de | certifica-te | não deve | não deves |
    não se deve | em nenhuma circunstância | em hipótese alguma | em caso algum | sem exceção | por padrão | lembre-se de |
    lembre-se que | lembra-te de | tenha em mente | não se esqueça | não esqueça | não use | não uses | não utilize | evite |
    pare de | até segunda ordem | via de regra
  `,
  wishes: `
    prefiro | preferiria | preferia | gosto | eu gosto | não gosto | adoro | amo | odeio | detesto | gostaria | eu gostaria |
    quero | eu quero | queria | desejo | queremos | preferimos | gostaríamos | meu favorito | minha favorita | meus favoritos |
    meu … favorito | minha … favorita | meu … preferido | minha … preferida | minha preferência | por favor … no futuro |
    por favor … de agora em diante | por favor use | por favor não | sou fã | sou alérgico | sou alérgica | me interesso |
    tenho interesse
  `,
  self: `
    eu | me | mim | meu | minha | meus | minhas | comigo | nós | nosso | nossa | nossos | nossas | sou | estou | tenho | quero |
    vou | fui | posso | preciso | prefiro | acho | gosto | somos | estamos | temos | moro
  `,
  calendar: {
    months: 'janeiro, fevereiro, marco, abril, maio, junho, julho, agosto, setembro, outubro, novembro, dezembro',
    shortMonths: 'jan, fev, mar, abr, mai, jun, jul, ago, set, out, nov, dez',
    before: 'em|de|desde|ate|do|no|durante|passado|este|mes de|ano|ano de|e|ou|entre|antes de|depois de|para|final de|inicio de',
    between: 'de|do',
    ordinal: 'º|o',
    weekdays:
      'segunda-feira|segunda feira|(?:na|nesta|ultima) segunda|segunda passada, terca-feira|terca feira|(?:na|nesta|ultima) terca|terca passada, quarta-feira|quarta feira|(?:na|nesta|ultima) quarta|quarta passada, quinta-feira|quinta feira|(?:na|nesta|ultima) quinta|quinta passada, sexta-feira|sexta feira|(?:na|nesta|ultima) sexta|sexta passada, sabado, domingo',
    today: 'hoje|esta manha|esta tarde|esta noite',
    yesterday: 'ontem|ontem a noite',
    dayBeforeYesterday: 'anteontem|antes de ontem',
    last: {
      week: 'semana (?:passada|anterior)|ultima semana',
      month: 'mes (?:passado|anterior)|ultimo mes',
      year: '(?:do )?ano (?:passado|anterior)|ultimo ano',
    },
    current: {
      week: 'esta semana|nesta semana|essa semana',
      month: 'este mes|neste mes|esse mes',
      year: 'este ano|neste ano|esse ano',
    },
    units: { day: 'dias?', week: 'semanas?', month: 'mes(?:es)?', year: 'anos?' },
    ago: '(?:ha|faz) {n} {u}|{n} {u} atras',
    numbers: 'uma?, dois|duas, tres, quatro, cinco, seis, sete, oito, nove, dez, onze, doze',
  },
})
