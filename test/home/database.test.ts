import { describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { openHomeDatabase } from "../../src/home/database.ts";
import { openHome } from "../../src/home/home.ts";
import { MIGRATIONS } from "../../src/home/migrations/index.ts";
import { drainMeasurements } from "../../src/lib/observability/measurements.ts";
import * as identity from "../../src/home/identity/tables.ts";
import * as schema from "../../src/home/schema.ts";
import { Database } from "../../src/sqlite/database.ts";
import { TestClock } from "../helpers/clock.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

const tables = Object.values({ ...schema, ...identity }).filter((value) => is(value, SQLiteTable));

describe("migrations", () => {
  test("are numbered from 1 without gaps", () => {
    expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, at) => at + 1));
  });

  test("create the tables of the drizzle schema", () => {
    using home = openHome(tempFolder());
    for (const table of tables) {
      const config = getTableConfig(table);
      const found = home.raw.all<{ name: string; type: string; notnull: number; pk: number }>(
        `pragma table_info(${config.name})`,
      );
      const compositeKey = config.primaryKeys.flatMap(({ columns }) => columns.map(({ name }) => name));
      const expected = config.columns.map((column) => ({
        name: column.name,
        type: column.getSQLType(),
        // SQLite does not report "not null" for a primary key of one column.
        required: column.notNull && !column.primary,
        isKey: column.primary || compositeKey.includes(column.name),
      }));
      const actual = found.map(({ name, type, notnull, pk }) => ({
        name,
        type: type.toLowerCase(),
        required: notnull === 1,
        isKey: pk > 0,
      }));
      expect({ table: config.name, columns: actual }).toEqual({ table: config.name, columns: expected });
      const indexes = home.raw.all<{ name: string; unique: number; origin: string }>(
        `pragma index_list(${config.name})`,
      );
      expect(
        indexes
          .filter(({ origin }) => origin === "c")
          .map(({ name, unique }) => ({ name, unique: unique === 1 }))
          .sort(byName),
      ).toEqual(config.indexes.map(({ config: { name, unique } }) => ({ name, unique })).sort(byName));
    }
    const names = home.raw.all<{ name: string }>(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'",
    );
    expect(names.map(({ name }) => name).sort()).toEqual(tables.map((table) => getTableConfig(table).name).sort());
  });

  test("reject a file of a newer version with a clear error", () => {
    const folder = tempFolder();
    openHome(folder).close();
    using file = new Database(join(folder, "home.sqlite"));
    file.exec("pragma user_version = 99");
    expect(() => openHome(folder)).toThrow(/version 99, but this program supports versions up to/);
  });

  test("back up an existing file first, but not a new one", () => {
    const folder = tempFolder();
    const first = [{ version: 1, sql: "create table a (x); insert into a values (1);" }];
    const both = [...first, { version: 2, sql: "drop table a; create table b (y);" }];
    openHomeDatabase(folder, { migrations: first }).raw.close();
    expect(existsSync(join(folder, "backups"))).toBe(false);
    const clock = new TestClock(Date.UTC(2026, 2, 4, 5, 6, 7, 8));
    using upgraded = openHomeDatabase(folder, { migrations: both, clock }).raw;
    expect(upgraded.get("pragma user_version")).toEqual({ user_version: 2 });
    expect(readdirSync(join(folder, "backups"))).toEqual(["home-v1-2026-03-04T05-06-07-008Z.sqlite"]);
    using backup = new Database(join(folder, "backups", "home-v1-2026-03-04T05-06-07-008Z.sqlite"));
    expect(backup.all("select x from a")).toEqual([{ x: 1 }]);
    expect(backup.get("pragma user_version")).toEqual({ user_version: 1 });
  });

  test("can be reverted: the backup in place of the file works with the older program", () => {
    const folder = tempFolder();
    const older = [{ version: 1, sql: "create table a (x); insert into a values (1);" }];
    openHomeDatabase(folder, { migrations: older }).raw.close();
    const newer = [...older, { version: 2, sql: "drop table a; create table b (y);" }];
    openHomeDatabase(folder, { migrations: newer }).raw.close();
    expect(() => openHomeDatabase(folder, { migrations: older })).toThrow(/has version 2/);
    const [copy = ""] = readdirSync(join(folder, "backups"));
    copyFileSync(join(folder, "backups", copy), join(folder, "home.sqlite"));
    using again = openHomeDatabase(folder, { migrations: older }).raw;
    expect(again.all("select x from a")).toEqual([{ x: 1 }]);
    expect(readdirSync(join(folder, "backups"))).toEqual([copy]);
  });

  test("leave the file unchanged when a migration fails", () => {
    const folder = tempFolder();
    const good = [{ version: 1, sql: "create table a (x);" }];
    openHomeDatabase(folder, { migrations: good }).raw.close();
    const second = { version: 2, sql: "create table c (z);" };
    const bad = [...good, second, { version: 3, sql: "create table b (y); create table a (x);" }];
    expect(() => openHomeDatabase(folder, { migrations: bad })).toThrow();
    using again = openHomeDatabase(folder, { migrations: good }).raw;
    expect(again.all("select name from sqlite_schema")).toEqual([{ name: "a" }]);
    expect(again.get("pragma user_version")).toEqual({ user_version: 1 });
  });
});

describe("the file", () => {
  test("is a single complete file when closed; closing is idempotent", () => {
    const folder = tempFolder();
    const home = openHome(folder);
    home.users.add({ email: "a@example.com", name: "A", kind: "person" });
    home.close();
    home.close();
    expect(() => home.transaction(() => {})).toThrow();
    expect(() => home.generation()).toThrow();
    using copy = new Database(join(folder, "home.sqlite"), { readonly: true });
    expect(copy.all("select email from users where kind = 'person'")).toEqual([{ email: "a@example.com" }]);
  });

  test("cannot be read by other users of the machine, also when an earlier version created it readable", () => {
    const folder = tempFolder();
    chmodSync(folder, 0o755);
    const path = join(folder, "home.sqlite");
    const modeOf = (file: string) => statSync(file).mode & 0o777;
    {
      using home = openHome(folder);
      home.users.list();
      expect([modeOf(path), modeOf(`${path}-wal`)]).toEqual([0o600, 0o600]);
    }
    chmodSync(path, 0o664);
    using _again = openHome(folder);
    expect(modeOf(path)).toBe(0o660);
  });

  test("waits at most 250 ms for another process, then throws a busy error", () => {
    const folder = tempFolder();
    using home = openHome(folder);
    using other = new Database(join(folder, "home.sqlite"));
    other.exec("begin immediate");
    drainMeasurements();
    const start = performance.now();
    expect(() => home.transaction(() => home.users.change(1, { name: "x" }))).toThrow(
      expect.objectContaining({ code: "unavailable" }),
    );
    expect(performance.now() - start).toBeWithin(200, 4000);
    other.exec("rollback");
    const { counts, durations } = drainMeasurements();
    expect(counts).toEqual({ sqliteBusy: 1 });
    expect(durations.homeLock?.sumSeconds).toBeWithin(0.2, 4);
    expect(durations.homeCommit).toBeUndefined();
  });
});

describe("generation", () => {
  test("stays the same without changes", () => {
    using home = openHome(tempFolder());
    const before = home.generation();
    home.users.list();
    expect(home.generation()).toBe(before);
  });

  test("changes with writes in and outside transactions, and with rollbacks", () => {
    using home = openHome(tempFolder());
    const seen = [home.generation()];
    home.users.change(1, { name: "x" });
    seen.push(home.generation());
    home.transaction(() => {
      home.users.change(1, { name: "y" });
      seen.push(home.generation());
    });
    expect(() =>
      home.transaction(() => {
        home.users.change(1, { name: "z" });
        seen.push(home.generation());
        throw new Error("undone");
      }),
    ).toThrow("undone");
    seen.push(home.generation());
    expect(new Set(seen).size).toBe(seen.length);
    expect(home.users.byId(1)?.name).toBe("y");
  });

  test("changes in the turn of the event loop after another connection's commit", async () => {
    const folder = tempFolder();
    using home = openHome(folder);
    using other = openHome(folder);
    const before = home.generation();
    other.users.change(1, { name: "x" });
    await new Promise(setImmediate);
    expect(home.generation()).not.toBe(before);
  });
});

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
