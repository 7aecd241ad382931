-- Documents with something to be sent to webhooks, so that they are found without opening all.
create table webhook_deliveries (
  document_id integer primary key references documents (id) on delete cascade,
  since integer not null
);
