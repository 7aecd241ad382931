-- The change counter of a replicated log: one row once the database has been in one.
create table _quern_commit (
  id integer primary key,
  epoch text not null,
  seq integer not null
);
