-- Users who were added, or with whom something was shared, and who have not signed in yet. The links are in tokens.
create table invitations (
  user_id integer primary key references users (id) on delete cascade,
  invited_by integer references users (id) on delete set null,
  -- 1 when another user than the inviter has shared something with the user as well.
  is_shared integer not null default 0,
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
