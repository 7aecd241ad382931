-- One-time tokens have further purposes; see home/tokens.ts.
create table new_tokens (
  hash text primary key,
  purpose text not null,
  user_id integer references users (id) on delete cascade,
  expires_at integer not null
);
insert into new_tokens select hash, purpose, user_id, expires_at from tokens;
drop table tokens;
alter table new_tokens rename to tokens;

-- Accounts at OpenID Connect providers.
create table identities (
  issuer text not null,
  subject text not null,
  user_id integer not null references users (id) on delete cascade,
  provider text not null,
  email text not null default '',
  created_at integer not null,
  last_used_at integer,
  primary key (issuer, subject)
);
create index identities_by_user on identities (user_id);

-- Hashes of challenges, states and codes that were used and must not be used again.
create table used_challenges (
  hash text primary key,
  expires_at integer not null
);
create index used_challenges_by_expiry on used_challenges (expires_at);

create table totp_secrets (
  user_id integer primary key references users (id) on delete cascade,
  secret blob not null,
  last_step integer not null default 0,
  created_at integer not null
);

create table recovery_codes (
  hash text primary key,
  user_id integer not null references users (id) on delete cascade,
  created_at integer not null
);
create index recovery_codes_by_user on recovery_codes (user_id);

create table passkeys (
  id text primary key,
  user_id integer not null references users (id) on delete cascade,
  public_key blob not null,
  counter integer not null,
  transports text not null default '[]',
  name text not null,
  created_at integer not null,
  last_used_at integer
);
create index passkeys_by_user on passkeys (user_id);
