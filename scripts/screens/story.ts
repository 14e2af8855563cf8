// The questions and answers in the pictures.
import type { Script } from '../../src/testing/index.ts'

/** A reply at once, from a model that counts tokens about as we do. */
export const text = (words: string): Script => ({
  says: [{ type: 'text', text: words }],
  usage: { input: 1090, output: 12 },
  every: 24,
})

export const QUESTION = 'How should I keep an append-only log on one machine? Compare a few ways, briefly.'

export const ANSWER: Script = {
  usage: { input: 1178, output: 388, cacheRead: 0 },
  every: 24,
  faults: [{ type: 'chunks', sizes: [128], gapMs: 60 }],
  says: [
    {
      type: 'think',
      text: 'One writer, many readers, and a crash must lose nothing that was acknowledged. So the comparison is about **fsync**, recovery, and what a reader pays for the last page.',
    },
    {
      type: 'text',
      text: `For one machine, take **SQLite in WAL mode**. It is the only one of the three where a torn write is somebody else’s solved problem.

| way | durable append | read the last page | after a crash |
|:--|--:|--:|:--|
| plain file, \`fsync\` each time | 0.3 ms | 0.1 ms | find the torn tail yourself |
| SQLite, WAL, \`FULL\` | 0.4 ms | 0.03 ms | nothing to do |
| a database server | 1–2 ms | 0.5 ms | nothing to do, but one more thing to run |

The table needs very little:

\`\`\`sql
create table events (
  session text not null,
  seq     integer not null,
  body    text not null,
  primary key (session, seq)
) without rowid;
\`\`\`

With $n$ writers that wait for one disk, **group commit** makes the cost of each append fall towards

$$t \\approx \\frac{t_{\\text{fsync}}}{n} + t_{\\text{row}}$$

so forty at once are hardly slower than one.`,
    },
  ],
}

export const SECOND_QUESTION = 'And if two processes want to write?'

export const SECOND_ANSWER: Script = {
  ...text(`Then let **one** of them own the file, and have the other ask it:

1. the owner writes its address into \`run.json\`, readable by you alone;
2. the other one finds it there and sends its message over loopback;
3. if nobody answers, it takes the lock and becomes the owner.

Two writers on one file work, too, but each waits for the other’s lock, and neither can hold anything in memory with confidence.`),
  usage: { input: 168, output: 121, cacheRead: 1536 },
}

export const EDITED_QUESTION = 'And if two processes want to write at the same time?'

export const TOOL_QUESTION = 'Keep a note on how backups are made.'

export const TOOL_ASK: Script = {
  says: [
    { type: 'text', text: 'I will write that down.' },
    { type: 'call', tool: 'notes_create', args: '{"name":"backups","text":"Copy the file while it runs: turnwise backup."}' },
  ],
  usage: { input: 1120, output: 31 },
  every: 24,
}

export const LONG_QUESTION = 'Explain it to somebody who has never heard of a log.'

export const LONG_ANSWER: Script = {
  every: 3,
  usage: { input: 1110, output: 700 },
  says: [
    {
      type: 'text',
      text: `Imagine a notebook in which you only ever write on the next empty line.

- You never rub anything out. If something was wrong, you write a new line that says so.
- Every line has a number, so anybody can say how far they have read.
- To know how things stand now, you read from the start, or from the last place where somebody wrote down the sum.

That is all an append-only log is. It sounds wasteful, and it is the reason that nothing is ever lost: ${'a page that is only added to can be copied while it is being written, compared line by line, and read again after a fire. '.repeat(12)}`,
    },
  ],
  faults: [{ type: 'chunks', sizes: [512], gapMs: 40 }],
}

export const BOARD_QUESTION = 'Should we drop support for the old runtime this year, or keep it until next spring?'

/** The advisors' replies, by their ids. Each advisor has a fake of its own. */
export const BOARD: Readonly<Record<string, Script>> = {
  builder: {
    ...text(`**Drop it now, behind a flag.** Put the check in the launcher this week, ship it in the next minor release, and watch what breaks.

1. One line in the launcher that says what to do.
2. A branch \`old-runtime\` that still gets security fixes until March.
3. Count the downloads of both for a month.

If fewer than one in fifty stay behind, the question has answered itself.`),
    usage: { input: 640, output: 96, cacheRead: 1920 },
  },
  sceptic: {
    ...text(`What carries the weight here is the sentence “hardly anybody uses it”. **You have not measured that.**

The worst ordinary day is a distribution that ships the old runtime for five years, and a bug report from there that nobody can reproduce. I would change my mind on one number: how many of last month’s installs came from it.`),
    usage: { input: 652, output: 88, cacheRead: 1920 },
  },
  steward: {
    ...text(`Rough numbers, marked as rough:

| | now | in spring |
|:--|--:|--:|
| hours to support it | 0 | 30–50 |
| hours to tell people | 6 | 6 |
| users who must act | 2 % | 1 % |

Half of it, which is to *announce* now and drop in spring, costs six hours and keeps the choice.`),
    usage: { input: 661, output: 104, cacheRead: 1920 },
  },
  advocate: {
    faults: [{ type: 'status', code: 401 }],
  },
  strategist: {
    ...text(`Ask which door shuts. Dropping a runtime can be undone with a patch release; **losing the trust of those who were told last cannot**.

So: say today that it ends in spring, and mean it. The habit of keeping announced dates compounds. The months you save do not.`),
    usage: { input: 648, output: 79, cacheRead: 1920 },
  },
}

export const OTHER_TITLES = [
  'Packing list for the north coast',
  'A name for the release',
  'Rewrite the introduction',
  'Why the build is slow on Mondays',
  'Sourdough, third attempt',
] as const

/** A conversation that does not fit its policy, and a question about its beginning. */
export const TRIP: readonly (readonly [question: string, answer: string])[] = [
  ['We rent the blue boathouse at the north pier from 3 to 9 May.', 'Noted: the blue boathouse, north pier, seven nights.'],
  [
    'The spare key of the boathouse hangs behind the copper kettle, and the landlady is Mrs. Halvorsen.',
    'Good to know. I will remind you to put it back there on the last day.',
  ],
  [
    'What should we bring for rowing in early May?',
    'Gloves, a wool layer, a dry bag, and one more pair of socks than you think.',
  ],
  ['And for cooking? There are two gas rings.', 'A cast-iron pan, a sharp knife, and recipes that need one pot.'],
  [
    'Which days look best for the island?',
    'The fifth or the sixth: the ferry runs early, and the wind is usually down before noon.',
  ],
  ['How long is the crossing?', 'About forty minutes each way; add a quarter of an hour for the pier.'],
  ['Is there a shop on the island?', 'A small one, open until two. Bring bread.'],
]

export const TRIP_QUESTION = 'Where was the spare key of the boathouse again?'
export const TRIP_ANSWER = 'Behind the copper kettle. If it is gone, ask Mrs. Halvorsen, your landlady.'
export const TRIP_FILLING =
  ' Please keep in mind that we are four people, two of them children, that we travel by train and can carry little, and that we would rather see one place properly than five in passing; so leave out what is only nice to have.'
