/** The internal tables in which a document stores the outbox of its webhooks. */
export const OUTBOX_SCHEMA = `
  create table if not exists _quern_webhooks (hook integer primary key, id text not null, state text not null);
  create table if not exists _quern_outbox (id integer primary key, hooks text not null, kind text not null,
    row_count integer not null, body text not null);
  create table if not exists _quern_attempts (id integer primary key, hook integer not null, entries text not null,
    told text not null);
  create table if not exists _quern_webhook_settings (hook integer primary key, settings text not null);
`;

/** The columns of the outbox tables. */
export const OUTBOX_COLUMNS = {
  _quern_webhooks: "hook, id, state",
  _quern_outbox: "id, hooks, kind, row_count, body",
  _quern_attempts: "id, hook, entries, told",
  _quern_webhook_settings: "hook, settings",
} as const;
