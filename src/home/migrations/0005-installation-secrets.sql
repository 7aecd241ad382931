-- Secrets that the nodes of a cluster share.
create table installation_secrets (
  name text primary key,
  value blob not null
);
