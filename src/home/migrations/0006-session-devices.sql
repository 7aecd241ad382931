-- What users see of their sessions: an id for the API, and which browser signed in from where.
alter table sessions add column public_id text not null default '';
alter table sessions add column user_agent text not null default '';
alter table sessions add column address text not null default '';
update sessions set public_id = lower(hex(randomblob(8)));
create unique index sessions_by_public_id on sessions (public_id);
