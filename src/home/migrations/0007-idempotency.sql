-- Answers to requests with an Idempotency-Key; see sqlite/kept-answers.ts.
create table idempotency_answers (
  scope text primary key,
  owner integer not null references users(id) on delete cascade,
  seq integer not null,
  created_at integer not null,
  body_hash text not null,
  verb text,
  form text not null,
  status integer not null,
  content text not null,
  end_bytes integer not null
);
create unique index idempotency_answers_by_owner on idempotency_answers (owner, seq);
create index idempotency_answers_by_age on idempotency_answers (created_at);
