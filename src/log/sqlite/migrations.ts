/** What a start of a turn resumes; as the index of form 10 has it. */
export const RESUMED_TURN: string = `case when json_valid(body) then body ->> '$.resumes' end`

/** What `trim` takes away in JavaScript. */
const BLANKS = `char(9, 10, 11, 12, 13, 32, 160, 5760, 8192, 8193, 8194, 8195, 8196, 8197, 8198, 8199, 8200, 8201, 8202, 8232, 8233, 8239, 8287, 12288, 65279)`

const isText = (path: string): string => `json_type(body, '${path}') is 'text'`
const isThinking = (part: number): string => `body ->> '$.parts[${part}].type' is 'think' and ${isText(`$.parts[${part}].text`)}`
const isContent = (part: number): string => `
  (body ->> '$.parts[${part}].type' is 'text' and ${isText(`$.parts[${part}].text`)}
     and trim(body ->> '$.parts[${part}].text', ${BLANKS}) <> ''
   or body ->> '$.parts[${part}].type' is 'call' and ${isText(`$.parts[${part}].call`)} and ${isText(`$.parts[${part}].tool`)}
     and json_type(body, '$.parts[${part}].args') is not null)`

/**
 * Events that may not begin the message that they seem to: they are damaged, or seem blank. The index of form 10 has them.
 * Replies that broke are not among them, since they have no numbers.
 */
export const ODD_EVENT: string = `type in ('message.received', 'turn.started', 'reply.finished') and case
  when not json_valid(body) then 1
  when type = 'message.received' then not (${isText('$.text')} and ${isText('$.from')}
    and trim(body ->> '$.text', ${BLANKS}) <> ''
    and (json_type(body, '$.parts') is null or ${isText('$.parts[0].name')}))
  when type = 'turn.started' then not (${isText('$.turn')} and ${isText('$.voice')}
    and coalesce(json_type(body, '$.cause') in ('integer', 'real'), 0))
  when json_type(body, '$.step') is not 'integer' then 1
  when body ->> '$.step' <> 1 then 0
  else not (${isText('$.turn')} and json_type(body, '$.parts') is 'array' and (${isContent(0)}
    or ${isThinking(0)} and (${isContent(1)} or ${isThinking(1)} and ${isContent(2)})))
end`

/** Whom a message that begins with this event is counted for: said to all, said to some, or answered by a voice. */
const speakerOf = (event: string): string => `case
  when ${event}.type <> 'message.received' then 'by:' || coalesce(
    (select case when json_valid(begun.body) then begun.body ->> '$.voice' end from events as begun
     where begun.session = ${event}.session and begun.turn = ${event}.turn and begun.type = 'turn.started'
     order by begun.seq desc limit 1), '')
  when json_valid(${event}.body) and json_type(${event}.body, '$.to') is 'array' then 'to:' || (${event}.body -> '$.to')
  else '' end`

/** Whether an event gives words to a turn of which nothing has a number: it was gone on with, or stopped by a person. */
const isLate = (event: string): string => `(
  ${event}.type = 'reply.finished' and ${event}.begins = 0
  or ${event}.type = 'turn.ended' and case when json_valid(${event}.body) then ${event}.body ->> '$.reason' is 'cancelled' end)
  and not exists (select 1 from events as said where said.session = ${event}.session and said.turn = ${event}.turn
    and said.begins = 1 and said.type = 'reply.finished' and said.seq < ${event}.seq)`

const isNumber = (event: string, path: string): string =>
  `coalesce(json_type(${event}.body, '${path}') in ('integer', 'real'), 0)`
const isOldFold = (event: string): string =>
  `json_type(${event}.body, '$.from') is null and json_type(${event}.body, '$.through') is not null`

/** Whether an event is a mark that can be read, and what else is to be true of its body, … */
const isMark = (event: string, also = '1'): string => `${event}.type = 'message.marked' and case when json_valid(${event}.body)
  then ${isNumber(event, '$.target')} and json_type(${event}.body, '$.mark') is not null and ${also} else 0 end`
/** … or a fold. Those of an older form stand for everything through a seq. */
const isFold = (event: string): string => `${event}.type = 'history.folded' and case
  when not json_valid(${event}.body) then 0
  when json_type(${event}.body, '$.text') is not 'text' then 0
  when ${isOldFold(event)} then ${isNumber(event, '$.through')}
  else ${isNumber(event, '$.from')} and ${isNumber(event, '$.to')} and json_type(${event}.body, '$.by') is 'text' end`

/** The row of `kept_pins` for a mark, … */
const pinOf = (event: string): string => `${event}.session, ${event}.body ->> '$.target', ${event}.seq, ${event}.at,
  coalesce(${event}.body ->> '$.reach', 'session')`
/** … and that of `kept_folds` for a fold. */
const foldOf = (event: string): string => `${event}.session, ${event}.seq, ${event}.at,
  case when ${isOldFold(event)} then 1 else ${event}.body ->> '$.from' end,
  case when ${isOldFold(event)} then ${event}.body ->> '$.through' else ${event}.body ->> '$.to' end,
  ${event}.body ->> '$.voice', ${event}.body ->> '$.replaces', trim(${event}.body ->> '$.text', ${BLANKS}) <> ''`

/** Whether a row of `kept_folds` takes the place of an earlier one. */
const replacesRow = (later: string, earlier: string): string => `${later}.session = ${earlier}.session
  and ${later}.seq > ${earlier}.seq and ${later}.voice is ${earlier}.voice
  and (${later}.replaces is ${earlier}.seq or ${later}.first <= ${earlier}.first and ${later}.last >= ${earlier}.last)`

/** How the file came to be as it is: numbered, run once each, in one transaction, never changed afterwards. */
export const MIGRATIONS: readonly { readonly version: number; readonly sql: string }[] = [
  {
    version: 1,
    sql: `
      create table sessions (
        id text primary key,
        updated_at text not null,
        project text,
        title text,
        body text not null,
        head integer not null default 0,
        messages integer not null default 0,
        tokens integer not null default 0,
        heard integer not null default 0,
        said integer not null default 0,
        turns integer not null default 0
      ) without rowid;
      create index sessions_by_use on sessions (updated_at desc, id);
      create index sessions_waiting on sessions (id) where said > heard;

      create table events (
        id integer primary key autoincrement,
        session text not null,
        seq integer not null,
        at text not null,
        type text not null,
        turn text,
        body text not null,
        tokens integer not null,
        total_tokens integer not null,
        total_messages integer not null,
        begins integer not null
      );
      create unique index events_by_seq on events (session, seq);
      create index events_by_turn on events (session, turn, seq) where turn is not null;
      create index events_by_plan on events (session, type, seq) where type in ('turn.started', 'context.planned');
      create index events_by_message on events (session, total_messages) where begins = 1;

      create table deleting (session text primary key) without rowid;
      create trigger events_update before update on events
        begin select raise(abort, 'events are never edited'); end;
      create trigger events_delete before delete on events
        when not exists (select 1 from deleting where session = old.session)
        begin select raise(abort, 'events are never deleted one by one'); end;

      create table keys (session text not null, key text not null, first integer not null, last integer not null, primary key (session, key)) without rowid;
      create table texts (hash text primary key, text text not null) without rowid;
      create table text_uses (session text not null, hash text not null, primary key (session, hash)) without rowid;
      create index text_uses_by_hash on text_uses (hash);
      create table open_turns (session text not null, turn text not null, voice text not null, started integer not null, primary key (session, turn)) without rowid;
      create table inflight (session text not null, turn text not null, body text not null, primary key (session, turn)) without rowid;

      create virtual table words using fts5 (text, content='', tokenize='unicode61 remove_diacritics 2');
      insert into words (words, rank) values ('secure-delete', 1);
      create table chores (indexed integer not null, sweep integer not null);
      insert into chores values (0, 0);
    `,
  },
  {
    version: 2,
    sql: `
      create index events_by_mark on events (session, seq) where type = 'message.marked';
      create index events_by_tokens on events (session, total_tokens) where begins = 1;
      create table factors (model text primary key, factor real not null) without rowid;
    `,
  },
  {
    version: 3,
    sql: `
      create table usage (
        id integer primary key,
        session text not null,
        at text not null,
        day text not null,
        model text not null,
        input integer not null,
        output integer not null,
        cache_read integer not null,
        cache_write integer not null,
        cost_usd real
      );
      create index usage_by_day on usage (day, model);
      create index usage_by_session on usage (session, day, model);
      create index events_by_answer on events (session, seq) where type = 'approval.answered';
    `,
  },
  {
    // What is due, and how often each voice spoke, is known for each voice: several answer in one session.
    version: 4,
    sql: `
      drop index sessions_waiting;
      alter table sessions add column due text not null default '[]';
      alter table sessions add column voices text not null default '{}';
      update sessions set due = (
        select json_group_array(json_object('voice', '', 'seq', seq)) from (
          select seq from events where session = sessions.id and type = 'message.received' and seq > heard order by seq)
      ) where said > heard;
      update sessions set voices = (
        select json_group_object(voice, json_object('turns', turns, 'answers', answers)) from (
          select voice, sum(type = 'turn.started') as turns, sum(type = 'turn.ended' and reason = 'done') as answers from (
            select type, case when json_valid(body) then body ->> '$.voice' end as voice,
              case when json_valid(body) then body ->> '$.reason' end as reason
            from events where session = sessions.id and type in ('turn.started', 'turn.ended'))
          where voice is not null group by voice));
      alter table sessions drop column heard;
      alter table sessions drop column said;
      alter table sessions drop column turns;
      create index sessions_waiting on sessions (id) where due <> '[]';
    `,
  },
  {
    // Forks. A text is known with the seq that first needed it, so that a fork takes over only what it can need; of those that
    // are there already this is unknown, and they count as needed from the start.
    version: 5,
    sql: `
      alter table sessions add column parent text;
      alter table sessions add column family text not null default '';
      alter table sessions add column archived integer not null default 0;
      update sessions set family = id,
        archived = case when json_valid(body) then coalesce(body ->> '$.archived', 0) else 0 end;
      create index sessions_by_parent on sessions (parent, updated_at desc, id) where parent is not null;
      create index sessions_by_family on sessions (family, updated_at desc, id);
      alter table text_uses add column since integer not null default 0;
      create table copying (session text primary key) without rowid;
    `,
  },
  {
    // Sessions from elsewhere. They wait in `arriving`, then among the others under the number of their import, and can be found
    // once that is no longer in `bringings`. The index of words passes their rows over until then: `unread` has the stretches.
    version: 6,
    sql: `
      create table bringings (id integer primary key autoincrement);
      create table arriving (
        id text primary key,
        bringing integer not null,
        updated_at text not null,
        project text,
        title text,
        parent text,
        family text not null,
        archived integer not null,
        body text not null,
        head integer not null,
        messages integer not null,
        tokens integer not null,
        voices text not null
      ) without rowid;
      create index arriving_by_bringing on arriving (bringing, id);
      alter table sessions add column bringing integer not null default 0;
      create view findable as select * from sessions where bringing not in (select id from bringings);
      create table unread (first integer primary key, last integer not null, bringing integer);

      create table receipts (id text primary key, body text not null);
      create index events_by_receipt on events (case when json_valid(body) then body ->> '$.receipt.id' end)
        where type = 'context.planned';
      create table doors (door text not null, key text not null, value text not null, primary key (door, key)) without rowid;
    `,
  },
  {
    // What people allowed is kept beside the log: events can come from elsewhere, and answers that are only there grant nothing.
    version: 7,
    sql: `
      drop index if exists events_by_answer;
      create table grants (
        id integer primary key autoincrement,
        tool text not null,
        binding text not null,
        session text not null,
        facts text not null,
        at text not null
      );
      create unique index grants_by_binding on grants (tool, binding, session);
      create index grants_by_session on grants (session);
    `,
  },
  {
    // Each fact has an id of its own, by which an append that is tried again is recognized. Events that are there already have
    // none: their writers are gone and cannot try them again.
    version: 8,
    sql: `
      alter table events add column event_id text;
      create unique index events_by_id on events (session, event_id) where event_id is not null;
    `,
  },
  {
    // The highest fence a session was written under: a writer that has lost its lease has a lower one and is refused.
    version: 9,
    sql: 'alter table sessions add column fence integer not null default 0',
  },
  {
    // How many messages of a stretch a voice could hear is asked at every turn. Each message has its number among those of its
    // speaker, so that two numbers answer it. Answers that broke at first have none; those of which words may count all the same
    // are the turns in `late_turns`. Messages that have a number and may not count are found by an index.
    version: 10,
    sql: `
      create table message_numbers (
        session text not null,
        speaker text not null,
        seq integer not null,
        number integer not null,
        primary key (session, speaker, seq)
      ) without rowid;
      insert into message_numbers
        select session, speaker, seq, row_number() over (partition by session, speaker order by seq) from (
          select said.session, said.seq, ${speakerOf('said')} as speaker from events as said
          where said.begins = 1 and said.type in ('message.received', 'reply.finished'));
      create trigger events_number after insert on events
        when new.begins = 1 and new.type in ('message.received', 'reply.finished')
        begin
          insert into message_numbers
            select new.session, speaker, new.seq, 1 + coalesce(
              (select number from message_numbers as before where before.session = new.session and before.speaker = now.speaker
               order by before.seq desc limit 1), 0)
            from (select ${speakerOf('new')} as speaker) as now;
        end;
      create table late_turns (session text not null, seq integer not null, turn text not null, primary key (session, seq)) without rowid;
      insert into late_turns select session, seq, turn from events as late where turn is not null and ${isLate('late')};
      create trigger events_late after insert on events
        when new.type in ('reply.finished', 'turn.ended') and new.turn is not null and ${isLate('new')}
        begin
          insert into late_turns values (new.session, new.seq, new.turn);
        end;
      create index events_by_oddity on events (session, seq) where ${ODD_EVENT};
      create index events_by_resumed on events (session, ${RESUMED_TURN}, seq)
        where type = 'turn.started' and ${RESUMED_TURN} is not null;
      `,
  },
  {
    // The requests of a voice, and how often it had spoken by any seq: neither is looked for by walking through a session.
    version: 11,
    sql: `
      create index events_by_voice on events (session, case when json_valid(body) then body ->> '$.receipt.voice' end, seq)
        where type = 'context.planned';
      create table voice_counts (
        session text not null,
        voice text not null,
        seq integer not null,
        turns integer not null,
        answers integer not null,
        primary key (session, voice, seq)
      ) without rowid;
      insert into voice_counts
        select session, voice, seq,
          sum(starts) over (partition by session, voice order by seq),
          sum(answers) over (partition by session, voice order by seq)
        from (
          select session, body ->> '$.voice' as voice, seq, type = 'turn.started' as starts, type = 'turn.ended' as answers
          from events
          where type in ('turn.started', 'turn.ended') and json_valid(body) and body ->> '$.voice' is not null
            and (type = 'turn.started' or body ->> '$.reason' = 'done'));
      create trigger events_count_turn after insert on events
        when new.type in ('turn.started', 'turn.ended') and json_valid(new.body) and new.body ->> '$.voice' is not null
          and (new.type = 'turn.started' or new.body ->> '$.reason' = 'done')
        begin
          insert into voice_counts
            select new.session, new.body ->> '$.voice', new.seq,
              coalesce(max(turns), 0) + (new.type = 'turn.started'), coalesce(max(answers), 0) + (new.type = 'turn.ended')
            from (select turns, answers from voice_counts
              where session = new.session and voice = new.body ->> '$.voice' and seq < new.seq order by seq desc limit 1);
        end;
      create trigger events_forget_turn after delete on events
        when old.type in ('turn.started', 'turn.ended') and json_valid(old.body)
        begin delete from voice_counts where session = old.session and voice = old.body ->> '$.voice' and seq = old.seq; end;
    `,
  },
  {
    // The recall index of each session. Its rows have a small number instead of the session's id; a row of `recall_sessions`
    // without a session has rows that are still to be deleted. Blocks are longer than a page: with a rowid they are read four
    // times as fast. What is behind is found by the two indexes of `sessions`, however many sessions there are.
    version: 12,
    sql: `
      create table recall_sessions (
        key integer primary key,
        session text unique,
        indexed_through integer not null,
        messages integer not null,
        passages integer not null,
        flushed integer not null,
        version integer not null,
        vectors text,
        encoder text,
        encoded_through integer
      );
      create table recall_postings (
        key integer not null,
        term text not null,
        segment integer not null,
        count integer not null,
        last integer not null,
        body blob not null,
        primary key (key, term, segment)
      ) without rowid;
      create table recall_blocks (
        id integer primary key,
        key integer not null,
        kind text not null,
        number integer not null,
        body blob not null,
        unique (key, kind, number)
      );
      alter table sessions add column recalled integer not null default 0;
      alter table sessions add column recalled_by text;
      create index sessions_unrecalled on sessions (updated_at desc, id) where head > recalled;
      create index sessions_by_recall on sessions (recalled_by, updated_at desc, id) where recalled_by is not null;
    `,
  },
  {
    // What is remembered beyond one session: the pins that count now, and the folds, each with the first that replaced it. Both
    // follow the events by triggers, so that forks and imports have theirs. Whether others may be quoted from a session follows
    // from its own row.
    version: 13,
    sql: `
      create table kept_pins (
        session text not null,
        target integer not null,
        seq integer not null,
        at text not null,
        reach text not null,
        primary key (session, target)
      ) without rowid;
      create index kept_pins_by_time on kept_pins (at desc, session, seq desc);
      create index kept_pins_by_reach on kept_pins (reach, session) where reach <> 'session';
      insert into kept_pins
        select ${pinOf('marked')} from events as marked
        where ${isMark('marked', `marked.body ->> '$.mark' is 'pin'`)} and not exists (
          select 1 from events as later where later.session = marked.session and later.seq > marked.seq
            and ${isMark('later', `later.body ->> '$.target' = marked.body ->> '$.target'`)});
      create trigger events_mark after insert on events when ${isMark('new')}
        begin
          delete from kept_pins where session = new.session and target = new.body ->> '$.target';
          insert into kept_pins select ${pinOf('new')} where new.body ->> '$.mark' is 'pin';
        end;

      create index events_by_fold on events (session, seq) where type = 'history.folded';
      create table kept_folds (
        session text not null,
        seq integer not null,
        at text not null,
        first integer not null,
        last integer not null,
        voice text,
        replaces integer,
        has_text integer not null,
        replaced integer,
        primary key (session, seq)
      ) without rowid;
      create index kept_folds_by_time on kept_folds (at desc, session, seq desc) where replaced is null and has_text = 1;
      create index kept_folds_by_replacement on kept_folds (session, replaced, seq);
      insert into kept_folds select ${foldOf('folded')}, null from events as folded where ${isFold('folded')};
      update kept_folds set replaced = (
        select min(later.seq) from kept_folds as later where ${replacesRow('later', 'kept_folds')});
      create trigger events_fold after insert on events when ${isFold('new')}
        begin
          insert into kept_folds select ${foldOf('new')}, null;
          update kept_folds set replaced = new.seq
            where session = new.session and replaced is null and exists (
              select 1 from kept_folds as later
              where later.session = new.session and later.seq = new.seq and ${replacesRow('later', 'kept_folds')});
        end;

      update sessions set body = json_set(body, '$.hadCouncil', json('true'))
        where messages > 0 and json_valid(body) and (body ->> '$.council' is not null or exists (
          select 1 from events as switched where switched.session = sessions.id and switched.type = 'session.changed'
            and case when json_valid(switched.body) then json_type(switched.body, '$.changes.council') is 'null' end));
      alter table sessions add column is_source integer generated always as (
        case when json_valid(body) then body ->> '$.council' is null and coalesce(body ->> '$.hadCouncil', 0) = 0
          and coalesce(body ->> '$.private', 0) = 0 else 0 end) virtual;
      create index sessions_by_source on sessions (project, updated_at desc, id) where is_source = 1;
    `,
  },
]

/** The newest form this program can write. */
export const NEWEST: number = MIGRATIONS.at(-1)?.version ?? 0
