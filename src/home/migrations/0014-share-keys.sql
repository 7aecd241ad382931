create table share_keys (
  key text primary key,
  document_id integer not null references documents (id) on delete cascade,
  link_id text not null,
  generation text not null
);
create unique index share_keys_by_link on share_keys (document_id, link_id);
