create table audit_entries (
  number integer primary key,
  time integer not null,
  event text not null,
  actor_id integer,
  actor text,
  key_id integer,
  address text,
  address_digest text,
  target text not null default '{}',
  details text not null default '{}',
  count integer not null default 1,
  hash text not null
);
create index audit_entries_by_time on audit_entries (time);
create index audit_entries_by_event on audit_entries (event, number);

-- The end of the entries that were deleted: the chain starts from its hash.
create table audit_checkpoints (
  number integer primary key,
  time integer not null,
  hash text not null
);
