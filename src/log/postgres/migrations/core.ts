/** The tables of sessions and events, and of what an append derives from its facts. */

/**
 * Ids and everything that is ordered compare by their bytes. Names that come from outside are kept as JSON where they may have
 * characters that PostgreSQL refuses. `turns` and `speakers` of a session change with its standing, in the same row.
 */
export const CORE_TABLES: string = `
  create table sessions (
    id text collate "C" primary key,
    updated_at text collate "C" not null,
    project text collate "C",
    title text,
    parent text collate "C",
    family text collate "C" not null,
    archived boolean not null,
    is_source boolean not null,
    body text not null,
    head bigint not null default 0,
    messages bigint not null default 0,
    tokens bigint not null default 0,
    due text not null default '[]',
    voices text not null default '{}',
    turns text not null default '{}',
    speakers text not null default '{}',
    fence bigint not null default 0,
    words_through bigint not null default 0,
    import bigint
  ) with (fillfactor = 80);
  create index sessions_by_use on sessions (updated_at desc, id);
  create index sessions_by_parent on sessions (parent, updated_at desc, id) where parent is not null;
  create index sessions_by_family on sessions (family, updated_at desc, id);
  create index sessions_by_project on sessions (project, updated_at desc, id) where project is not null;
  create index sessions_by_source on sessions (project, updated_at desc, id) where is_source;
  create index sessions_waiting on sessions (id) where due <> '[]';
  create index sessions_running on sessions (id) where turns <> '{}';
  create index sessions_by_import on sessions (import, id) where import is not null;

  create table imports (
    id bigint generated always as identity primary key,
    until timestamptz not null
  );
  create view findable as select * from sessions where import is null;

  create table events (
    id bigint generated always as identity,
    session text collate "C" not null,
    seq bigint not null,
    at text collate "C" not null,
    type text collate "C" not null,
    turn text collate "C",
    body text not null,
    tokens bigint not null,
    total_tokens bigint not null,
    total_messages bigint not null,
    begins smallint not null,
    event_id text collate "C",
    voice text collate "C",
    resumes text collate "C",
    step bigint,
    is_odd boolean not null default false,
    primary key (session, seq)
  );
  create unique index events_by_id on events (session, event_id) where event_id is not null;
  create index events_by_turn on events (session, turn, seq) where turn is not null;
  create index events_by_message on events (session, total_messages) where begins = 1;
  create index events_by_tokens on events (session, total_tokens, seq) where begins = 1;
  create index events_by_mark on events (session, seq) where type = 'message.marked';
  create index events_by_fold on events (session, seq) where type = 'history.folded';
  create index events_by_start on events (session, seq) where type = 'turn.started';
  create index events_by_plan on events (session, seq) where type = 'context.planned';
  create index events_by_voice on events (session, voice, seq) where type = 'context.planned';
  create index events_by_resumed on events (session, resumes, seq) where resumes is not null;
  create index events_by_oddity on events (session, seq) where is_odd;

  create table deleting (session text collate "C" primary key);
  create function refuse_edit() returns trigger language plpgsql as $refuse$
    begin
      if tg_op = 'DELETE' then
        if exists (select 1 from deleting where session = old.session) then return old; end if;
        raise exception 'events are never deleted one by one';
      end if;
      raise exception 'events are never edited';
    end
  $refuse$;
  create trigger events_are_facts before update or delete on events for each row execute function refuse_edit();
  create trigger events_are_many before truncate on events for each statement execute function refuse_edit();

  create table keys (
    session text collate "C" not null,
    key text collate "C" not null,
    first bigint not null,
    last bigint not null,
    primary key (session, key)
  );
  create table texts (hash text collate "C" primary key, text text not null);
  create table text_uses (
    session text collate "C" not null,
    hash text collate "C" not null,
    since bigint not null,
    primary key (session, hash)
  );
  create index text_uses_by_hash on text_uses (hash);
  create table checkpoints (
    session text collate "C" not null,
    turn text collate "C" not null,
    step bigint not null,
    body text not null,
    primary key (session, turn)
  ) with (fillfactor = 50);

  create table message_numbers (
    session text collate "C" not null,
    speaker text collate "C" not null,
    seq bigint not null,
    number bigint not null,
    primary key (session, speaker, seq)
  );
  create table late_turns (
    session text collate "C" not null,
    seq bigint not null,
    turn text collate "C" not null,
    primary key (session, seq)
  );
  create table voice_counts (
    session text collate "C" not null,
    voice text collate "C" not null,
    seq bigint not null,
    turns bigint not null,
    answers bigint not null,
    primary key (session, voice, seq)
  );
`
