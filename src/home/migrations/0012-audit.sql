create table audit_entries (
  number integer primary key,
  time integer not null,
  event text not null,
  actor_id integer,
  actor text,
  key_id integer,
  address text,
  address_salt text,
  address_digest text,
  target text not null default '{}',
  details text not null default '{}',
  count integer not null default 1,
  hash text not null
);
create index audit_entries_by_time on audit_entries (time);
create index audit_entries_with_address on audit_entries (time) where address is not null;

-- The end of the entries that were deleted: the chain starts from its hash.
create table audit_checkpoints (
  number integer primary key,
  time integer not null,
  hash text not null
);

-- Entries are never changed, except that addresses are dropped, and deleted only up to a checkpoint.
create trigger audit_entries_no_update before update on audit_entries
when new.address is not null or new.address_salt is not null
  or (new.number, new.time, new.event, new.actor_id, new.actor, new.key_id)
    is not (old.number, old.time, old.event, old.actor_id, old.actor, old.key_id)
  or (new.address_digest, new.target, new.details, new.count, new.hash)
    is not (old.address_digest, old.target, old.details, old.count, old.hash)
begin
  select raise(abort, 'entries of the audit log cannot be changed');
end;
create trigger audit_entries_no_delete before delete on audit_entries
when not exists (select 1 from audit_checkpoints where number >= old.number)
begin
  select raise(abort, 'entries of the audit log cannot be deleted');
end;
