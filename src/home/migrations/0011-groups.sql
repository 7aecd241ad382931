alter table users add column external_id text;

-- Personal sites of deleted users: without owner, and in the trash.
alter table orgs add column removed_at integer;
alter table orgs add column former_owner text;

create table groups (
  id integer primary key autoincrement,
  name text not null unique,
  external_id text,
  managed_by text,
  created_at integer not null
);

create table group_members (
  group_id integer not null references groups (id) on delete cascade,
  user_id integer not null references users (id) on delete cascade,
  primary key (group_id, user_id)
);
create index group_members_by_user on group_members (user_id);

-- Roles of groups: exactly one of the three ids is set.
create table group_grants (
  id integer primary key autoincrement,
  group_id integer not null references groups (id) on delete cascade,
  org_id integer references orgs (id) on delete cascade,
  workspace_id integer references workspaces (id) on delete cascade,
  document_id integer references documents (id) on delete cascade,
  role text not null
);
create unique index group_grants_on_org on group_grants (org_id, group_id);
create unique index group_grants_on_workspace on group_grants (workspace_id, group_id);
create unique index group_grants_on_document on group_grants (document_id, group_id);
create index group_grants_by_group on group_grants (group_id);
