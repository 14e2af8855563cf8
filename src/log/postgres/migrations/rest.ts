/** The tables beside the events: words, usage, receipts, channel state, grants, the recall index, pins and folds, and what nodes share. */

/** Runs after the tables of the core, in the same migration. */
export const REST_TABLES: string = `
  -- A title changes without an event only when its session is opened, so a session without events is looked at once as well.
  alter table sessions alter column words_through set default -1;
  create index sessions_by_words on sessions (updated_at desc, id) where head > words_through;
  create table words (
    session text collate "C" not null,
    seq bigint not null,
    slice integer not null,
    is_sliced boolean not null,
    at text collate "C" not null,
    vector tsvector not null,
    primary key (session, seq, slice)
  );
  create index words_of_messages on words using gin (vector) where seq > 0;
  create index words_of_titles on words using gin (vector) where seq = 0;
  create index words_by_time on words (at desc, session, seq desc) where seq > 0;

  create table usage (
    id bigint generated always as identity primary key,
    session text collate "C" not null,
    at text collate "C" not null,
    day text collate "C" not null,
    model text collate "C" not null,
    input double precision not null,
    output double precision not null,
    cache_read double precision not null,
    cache_write double precision not null,
    cost_usd double precision
  );
  create index usage_by_day on usage (day, model) include (cost_usd);
  create index usage_by_session on usage (session, day, model);
  create table factors (model text collate "C" primary key, factor double precision not null);

  create table receipts (id text collate "C" primary key, body text not null);
  create table receipt_places (
    number bigint generated always as identity,
    receipt text collate "C" not null,
    session text collate "C" not null,
    seq bigint not null,
    primary key (session, seq)
  );
  create index receipt_places_by_receipt on receipt_places (receipt, number);

  create table channel_state (
    channel text collate "C" not null,
    key text collate "C" not null,
    value text not null,
    primary key (channel, key)
  );

  create table grants (
    id bigint generated always as identity primary key,
    tool text collate "C" not null,
    binding text collate "C" not null,
    session text collate "C" not null,
    facts text not null,
    at text not null
  );
  create unique index grants_by_binding on grants (tool, binding, session);
  create index grants_by_session on grants (session);

  alter table sessions add column recalled bigint not null default 0;
  alter table sessions add column recalled_by text collate "C";
  create index sessions_unrecalled on sessions (updated_at desc, id) where head > recalled;
  create index sessions_by_recall on sessions (recalled_by, updated_at desc, id) where recalled_by is not null;
  create table recall_sessions (
    key bigint generated always as identity primary key,
    session text collate "C" unique,
    indexed_through bigint not null,
    messages bigint not null,
    passages bigint not null,
    flushed bigint not null,
    version bigint not null,
    vectors text,
    encoder text,
    encoded_through bigint
  );
  create index recall_sessions_detached on recall_sessions (key) where session is null;
  create table recall_postings (
    key bigint not null,
    term text collate "C" not null,
    segment bigint not null,
    count bigint not null,
    last bigint not null,
    body bytea not null,
    primary key (key, term, segment)
  );
  create table recall_blocks (
    key bigint not null,
    kind text collate "C" not null,
    number bigint not null,
    body bytea not null,
    primary key (key, kind, number)
  );

  create table kept_pins (
    session text collate "C" not null,
    target bigint not null,
    seq bigint not null,
    at text collate "C" not null,
    reach text not null,
    primary key (session, target)
  );
  create index kept_pins_by_time on kept_pins (at desc, session, seq desc);
  create index kept_pins_by_reach on kept_pins (reach, session) where reach <> 'session';
  create table kept_folds (
    session text collate "C" not null,
    seq bigint not null,
    at text collate "C" not null,
    first bigint not null,
    last bigint not null,
    voice text,
    replaces bigint,
    has_text boolean not null,
    replaced bigint,
    primary key (session, seq)
  );
  create index kept_folds_by_time on kept_folds (at desc, session, seq desc) where replaced is null and has_text;
  create index kept_folds_by_replacement on kept_folds (session, replaced, seq);

  -- Leases are renewed often. Half-empty pages and no index on the changing columns let a row change in its place.
  create table leases (
    key text collate "C" primary key,
    node text not null,
    fence bigint not null,
    until timestamptz not null
  ) with (fillfactor = 50);
  create table orders (
    number bigint generated always as identity primary key,
    id text collate "C" not null unique,
    session text collate "C" not null,
    body text not null,
    at timestamptz not null default clock_timestamp()
  );
  create index orders_by_session on orders (session, number);
  create table order_replies (
    id text collate "C" primary key,
    body text not null,
    at timestamptz not null default clock_timestamp()
  );
  create table counters (name text collate "C" primary key, value bigint not null);
  insert into counters values ('documents', 0), ('words', 0);
  create table documents (name text collate "C" primary key, text text, revision bigint not null unique);
  create table budget_days (day text collate "C" primary key);
  create table reservations (
    id text collate "C" primary key,
    day text collate "C" not null,
    usd double precision not null,
    until timestamptz not null
  );
  create index reservations_by_day on reservations (day);
`
