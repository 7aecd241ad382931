create table invitations (
  id integer primary key autoincrement,
  user_id integer not null unique references users (id) on delete cascade,
  token_hash text not null unique,
  invited_by integer references users (id) on delete set null,
  created_at integer not null,
  expires_at integer not null
);

-- Messages that wait to be sent.
create table emails (
  id integer primary key autoincrement,
  message_id text not null unique,
  recipient text not null,
  kind text not null,
  content text not null,
  created_at integer not null,
  expires_at integer not null,
  attempts integer not null default 0,
  next_attempt_at integer not null,
  last_error text
);
create index emails_by_next_attempt on emails (next_attempt_at);

-- When an event, or a user, last caused messages, for limits on their number.
create table email_limits (
  key text primary key,
  since integer not null,
  count integer not null
);
