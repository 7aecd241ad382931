/** The authorizer alone, on an otherwise unrestricted connection. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { authorize, readDocumentTables, restrictionOf } from "../../src/sql/open-for-reading.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

let db: DatabaseSync;
let prelude: string;

beforeAll(() => {
  db = new DatabaseSync(join(tempFolder(), "a.sqlite"), { allowExtension: true });
  db.exec(`
    create table People (id integer primary key, Name text);
    insert into People values (1, 'Ada');
    create index people_name on People (Name);
    create view Names as select Name from People;
    create table _quern_outbox (id integer primary key, event text unique);
    insert into _quern_outbox values (1, 'hidden');
    create view Peek as select event from _quern_outbox;
    create virtual table Shapes using rtree (id, minX, maxX);
    create trigger log_people after insert on People begin delete from People; end;
  `);
  const restriction = restrictionOf(readDocumentTables(db));
  ({ prelude } = restriction);
  authorize(db, () => restriction);
});
afterAll(() => db.close());

const all = (sql: string) => db.prepare(sql).all();

describe("allows", () => {
  test.each([
    "select * from People",
    "select count(*) from People",
    "select Name from Names",
    "select p.Name from People p join People q on q.id = p.id",
    "with recursive n(i) as (select 1 union all select i + 1 from n where i < 3) select count(*) from n",
    "select count(*) from (select 1) as part",
    "select value from json_each('[1]') union select key from json_tree('{}')",
    "select name from pragma_table_info('People')",
    "select count(*) from pragma_index_list('People')",
    "select upper(Name), date('now'), json_object('a', 1), row_number() over () from People",
  ])("%s", (sql) => {
    expect(all(sql)).not.toBeEmpty();
  });
});

describe("denies", () => {
  test.each([
    "insert into People values (2, 'Eve')",
    "update People set Name = ''",
    "delete from People",
    "replace into People values (1, '')",
    "create table t (a)",
    "create temp table t (a)",
    "create table t as select * from People",
    "create view v as select 1",
    "create index i on People (id)",
    "create trigger t after insert on People begin select 1; end",
    "create virtual table v using fts5 (a)",
    "drop table People",
    "drop index people_name",
    "drop trigger log_people",
    "drop view Names",
    "alter table People rename to Persons",
    "alter table People add column a",
    "attach ':memory:' as other",
    "attach '' as other",
    "detach main",
    "analyze",
    "reindex",
    "vacuum",
    "vacuum into '/tmp/never'",
    "begin",
    "begin immediate",
    "savepoint a",
    "pragma user_version",
    "pragma user_version = 5",
    "pragma writable_schema = on",
    "pragma journal_mode = delete",
    "pragma table_list",
    "pragma database_list",
    "select file from pragma_database_list",
    "select name from pragma_table_list",
    "select name from pragma_function_list",
    "select compile_options from pragma_compile_options",
    "select count(*) from pragma_database_list",
    "select load_extension('x')",
    "select fts3_tokenizer('simple')",
    "select sqlite_log(1, 'x')",
    "select rtreecheck('Shapes')",
    "select * from Shapes",
    "select count(*) from Shapes",
    "select * from dbstat",
    "select count(*) from dbstat",
    "select * from fts3tokenize('simple', 'a b')",
    "select count(*) from fts3tokenize",
    "select * from sqlite_temp_master",
    "select name from sqlite_temp_schema",
  ])("%s", (sql) => {
    expect(() => all(sql)).toThrow();
  });
});

describe("internal tables", () => {
  test.each([
    "select * from _quern_outbox",
    "select event from main._quern_outbox",
    "select count(*) from _quern_outbox",
    `select 1 from "_QUERN_Outbox"`,
    "select * from Peek",
    "select (select max(event) from _quern_outbox)",
    "select name from pragma_table_info('_quern_outbox')",
    "select name from pragma_index_info('sqlite_autoindex__quern_outbox_1')",
    "select name from sqlite_master",
    "select name from main.sqlite_schema",
    "select count(*) from sqlite_master",
    "with sqlite_master as (select * from main.sqlite_master) select * from sqlite_master",
  ])("are not read by %s", (sql) => {
    expect(() => all(sql)).toThrow();
  });

  test.each(["sqlite_master", "sqlite_schema"])("are hidden in %s by the prelude", (list) => {
    const names = all(`${prelude} select * from (select name from ${list} m)`).map(({ name }) => name);
    expect(names).toContain("People");
    expect(names).toContain("people_name");
    expect(names.filter((name) => /quern/i.test(String(name)))).toEqual([]);
  });

  test("cannot be read by a common table expression named like the schema table", () => {
    const spoof = `${prelude} select * from (
      with sqlite_master as (select name from main.sqlite_schema) select name from sqlite_master)`;
    expect(() => all(spoof)).toThrow();
  });
});

test("none of the statements changed anything", () => {
  db.setAuthorizer(null);
  expect(all("select * from People")).toEqual([{ id: 1, Name: "Ada" }]);
  expect(all("select count(*) as n from sqlite_master")).toEqual([{ n: 11 }]);
});
