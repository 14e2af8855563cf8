/** English, as recall needs it. */
import { languageFrom, type TextLanguage } from './language.ts'

export const english: TextLanguage = languageFrom({
  code: 'en',
  stopWords: `
    a an the this that these those some any each every either neither both all most more much many few less least several such other
    another same own no not nor none nothing never ever always only just also too very so than then there here now again still yet
    already once quite rather really even almost maybe perhaps
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its
    itself they them their theirs themselves one ones someone somebody something anyone anybody anything everyone everybody everything
    who whom whose which what when where why how whoever whatever whichever whenever wherever however
    am is are was were be been being have has had having do does did doing done will would shall should can could may might must
    ought need dare used get gets got getting gotten let lets
    and or but if because as until while of at by for with about against between into through during before after above below to from
    up down in out on off over under further upon within without toward towards along across behind beyond near since though although
    whether unless except per via
    don doesn didn isn aren wasn weren haven hasn hadn wouldn shouldn couldn mustn needn mightn ain shan
    dont doesnt didnt isnt arent wasnt werent havent hasnt hadnt cant cannot couldnt wouldnt shouldnt wont im ive id ill youre youve hes
    shes theyre thats whats wheres theres gonna wanna gotta
    yes yeah yep nope ok okay oh ah hey hi hello please thanks thank well sure s t ll re ve
  `,
  talkWords: `
    say says said saying tell tells told telling talk talks talked talking speak speaks spoke spoken speaking chat chats chatted chatting
    list lists listed listing ask asks asked asking bring brings brought bringing topic topics subject subjects message messages messaging
    messaged word words wording refer refers referred referring reference references note notes noted state states stated stating answer
    answers answered reply replies replied recap recaps earlier previously ago repeat repeats repeated repeating describe describes
    described describing explain explains explained explaining share shares shared sharing
  `,
  talkBeginnings: 'mention discuss conversation convers summar recall remember remind suggest recommend forget forgot',
  questionStarts: `
    what | what's | whats | when | when's | where | where's | who | who's | whom | whose | which | how | why | in what |
    in which | at what | at which | on what | on which | for what | for which | for how | from what | from which | to what |
    to which | to whom | with what | with which | with whom | with who | by what | by whom | since when | about what | did i |
    did we | did you | did he | did she | did they | did it | did my | did our | did | didn't | had i | had we | have i |
    have we | have you | haven't | has | was | were | wasn't | weren't | is there | are there | was there | do you remember |
    do you recall | do you know | do i | do we | do you still | you remember | remember when | remember | recall | remind me |
    remind us | can you remind | could you remind | can you remember | can you recall | can you tell me | could you tell me |
    tell me | tell me again | i forgot | i forget | i can't remember | i don't remember | i do not remember | i can't recall |
    i don't recall | summarize | summarise | sum up | can you summarize | could you summarize | recap | can you list |
    could you list | list | give me a list | give me a summary | give me an overview | name all | name the | quote | repeat |
    go back to | earlier | last time | previously | the other day | a while ago | look up | find | based on what |
    according to | looking back | considering what | given what i
  `,
  openings: `
    hey | hi | hello | hello there | hi there | hey there | ok | okay | and | but | so | well | now | also | oh | hm | hmm |
    um | uh | yes | yeah | no | right | great | cool | thanks | thank you | by the way | btw | just curious | quick question |
    one more question | one question | another question | question | good morning | good evening | good afternoon | please |
    sorry | wait | actually | anyway | then | just | again | alright | all right | i was wondering | out of curiosity
  `,
  rules: `
    always | never | from now on | every time | each time | whenever | make sure to | make sure that | make sure you |
    must not | mustn't | must always | under no circumstances | at all times | going forward | in the future | in future |
    from here on | henceforth | as a rule | do not ever | don't ever | be sure to | no matter what | without exception |
    by default | for all future | keep in mind | remember to | remember that | stop using | stop doing | do not use |
    don't use | avoid using | you should always | until further notice | for the rest of | at the end of every | in all your |
    it is important that | it's important that
  `,
  wishes: `
    i prefer | i'd prefer | i would prefer | i like | i really like | i love | i really love | i enjoy | i really enjoy |
    i hate | i dislike | i don't like | i do not like | i can't stand | i'd like | i would like | i'd love | i would love |
    i'd rather | i would rather | i want | i wish | i need you to | we prefer | we'd like | we would like | we want |
    please … in future | please … in the future | please … from now on | please use | please don't | please do not |
    please avoid | please keep | my favorite | my favourite | my preference | my preferred | i'm a fan of | i am a fan of |
    i'm into | i'm not a fan | im into | i'm interested in | i am interested in | i'm passionate about | i usually | i tend to |
    i'm allergic | i am allergic | i avoid
  `,
  self: `
    i | i'm | i've | i'd | i'll | im | ive | me | my | mine | myself | we | we're | we've | us | our | ours | ourselves
  `,
  calendar: {
    months: 'january, february, march, april, may, june, july, august, september, october, november, december',
    shortMonths: 'jan, feb, mar, apr, may, jun, jul, aug, sept?, oct, nov, dec',
    capitalMonths: [2, 4],
    before:
      'in|during|since|until|till|by|from|to|of|for|around|before|after|between|and|or|this|last|past|early|late|mid|the|our|my|that|back in|year',
    between: 'of|the',
    ordinal: 'st|nd|rd|th',
    weekdays: 'mondays?, tuesdays?|tues, wednesdays?, thursdays?|thurs, fridays?, saturdays?, sundays?',
    today: 'today|tonight|this morning|this afternoon|this evening|earlier today',
    yesterday: 'yesterday|last night',
    dayBeforeYesterday: 'the day before yesterday|day before yesterday',
    last: { week: '(?:last|past|previous) week', month: '(?:last|past|previous) month', year: '(?:last|past|previous) year' },
    current: { week: 'this week', month: 'this month', year: 'this year' },
    units: { day: 'days?', week: 'weeks?', month: 'months?', year: 'years?' },
    ago: '{n} {u} (?:ago|back|earlier)',
    numbers: 'an?|one, two|a couple of|a couple, three, four, five, six, seven, eight, nine, ten, eleven, twelve',
  },
})
