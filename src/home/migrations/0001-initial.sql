create table users (
  id integer primary key autoincrement,
  email text not null unique,
  display_email text not null,
  name text not null default '',
  picture text,
  ref text not null unique,
  locale text,
  kind text not null check (kind in ('person', 'service', 'pseudo')),
  is_admin integer not null default 0,
  disabled_at integer,
  created_at integer not null
);
insert into users (id, email, display_email, name, ref, kind, created_at) values
  (1, 'everyone@getgrist.com', 'everyone@getgrist.com', 'Everyone', 'everyone', 'pseudo', 0),
  (2, 'anon@getgrist.com', 'anon@getgrist.com', 'Anonymous', 'anonymous', 'pseudo', 0);

create table passwords (
  user_id integer primary key references users (id) on delete cascade,
  hash text not null,
  changed_at integer not null
);

create table sessions (
  hash text primary key,
  user_id integer not null references users (id) on delete cascade,
  created_at integer not null,
  expires_at integer not null
);
create index sessions_by_user on sessions (user_id);

create table tokens (
  hash text primary key,
  purpose text not null check (purpose in ('first-run', 'password-reset')),
  user_id integer references users (id) on delete cascade,
  expires_at integer not null
);

create table api_keys (
  id integer primary key autoincrement,
  user_id integer not null references users (id) on delete cascade,
  hash text not null unique,
  prefix text not null,
  label text,
  created_at integer not null,
  last_used_at integer,
  expires_at integer
);
create index api_keys_by_user on api_keys (user_id);
create unique index api_keys_one_profile_key on api_keys (user_id) where label is null;

create table service_accounts (
  id integer primary key autoincrement,
  user_id integer not null unique references users (id) on delete cascade,
  owner_id integer not null references users (id) on delete cascade,
  label text not null default '',
  description text not null default '',
  expires_at integer not null
);
create index service_accounts_by_owner on service_accounts (owner_id);

create table orgs (
  id integer primary key autoincrement,
  name text not null,
  domain text unique,
  owner_id integer unique references users (id) on delete cascade,
  created_at integer not null,
  updated_at integer not null
);

create table preferences (
  user_id integer not null,
  org_id integer not null,
  prefs text not null,
  primary key (user_id, org_id)
);

create table workspaces (
  id integer primary key autoincrement,
  org_id integer not null references orgs (id) on delete cascade,
  name text not null,
  max_inherited_role text check (max_inherited_role in ('owners', 'editors', 'viewers')),
  created_at integer not null,
  updated_at integer not null,
  removed_at integer
);
create index workspaces_by_org on workspaces (org_id);

create table documents (
  id integer primary key autoincrement,
  uuid text not null unique,
  workspace_id integer not null references workspaces (id) on delete cascade,
  name text not null,
  is_pinned integer not null default 0,
  url_id text,
  type text check (type in ('template', 'tutorial')),
  options text,
  max_inherited_role text check (max_inherited_role in ('owners', 'editors', 'viewers')),
  created_at integer not null,
  updated_at integer not null,
  removed_at integer
);
create index documents_by_workspace on documents (workspace_id);
create index documents_by_url_id on documents (url_id);

create table url_ids (
  org_id integer not null references orgs (id) on delete cascade,
  url_id text not null,
  document_id integer not null references documents (id) on delete cascade,
  primary key (org_id, url_id)
);
create index url_ids_by_document on url_ids (document_id);
create index url_ids_by_url_id on url_ids (url_id);

create table grants (
  id integer primary key autoincrement,
  user_id integer not null references users (id) on delete cascade,
  org_id integer references orgs (id) on delete cascade,
  workspace_id integer references workspaces (id) on delete cascade,
  document_id integer references documents (id) on delete cascade,
  role text not null check (role in ('owners', 'editors', 'viewers', 'members')),
  check ((org_id is not null) + (workspace_id is not null) + (document_id is not null) = 1),
  check (role <> 'members' or org_id is not null)
);
create unique index grants_on_org on grants (org_id, user_id);
create unique index grants_on_workspace on grants (workspace_id, user_id);
create unique index grants_on_document on grants (document_id, user_id);
create index grants_by_user on grants (user_id);

create table webhook_secrets (
  document_id integer not null references documents (id) on delete cascade,
  webhook_id text not null,
  url text not null,
  authorization text,
  headers text,
  unsubscribe_key text not null,
  signing_secret blob not null,
  primary key (document_id, webhook_id)
);
