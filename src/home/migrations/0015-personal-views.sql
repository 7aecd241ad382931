create table personal_views (
  user_id integer not null references users (id) on delete cascade,
  document_id integer not null references documents (id) on delete cascade,
  section integer not null,
  view text not null,
  primary key (user_id, document_id, section)
) without rowid;
create index personal_views_by_document on personal_views (document_id);
