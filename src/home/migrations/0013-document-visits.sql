create table document_visits (
  user_id integer not null references users (id) on delete cascade,
  document_id integer not null references documents (id) on delete cascade,
  opened_at integer not null,
  primary key (user_id, document_id)
) without rowid;
create index document_visits_by_document on document_visits (document_id);
