/** A log belongs to one installation, which its database, the data folder and the home database name. */
import { describe, expect, test } from "bun:test";
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readInstallationIdOf } from "../../src/home/installation-id.ts";
import { createDatabase, HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { addUserWithKey, startServerProcess } from "../helpers/server-process.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { query } from "./log/replica-fixture.ts";

interface Stopped {
  readonly folder: string;
  readonly log: string;
  /** As the folder names it. */
  readonly id: string;
}

/** Starts a server with a folder and a log, and stops it. */
async function run(setting: "QUERN_LOG_TO" | "QUERN_CLUSTER", folder: string, log: string): Promise<Stopped> {
  await using server = await startServerProcess({ folder, settings: { [setting]: log } });
  expect(await server.stop()).toBe(0);
  return { folder, log, id: readFileSync(join(folder, "installation-id"), "utf8").trim() };
}

async function installation(setting: "QUERN_LOG_TO" | "QUERN_CLUSTER"): Promise<Stopped> {
  const folder = tempFolder();
  await addUserWithKey({ folder });
  return run(setting, folder, await createDatabase());
}

/** The output of a server that does not start. */
async function refusal(setting: string, { folder, log }: Pick<Stopped, "folder" | "log">): Promise<string[]> {
  const prefix = "the server did not start: ";
  try {
    await using server = await startServerProcess({ folder, settings: { [setting]: log } });
    await server.stop();
    return [];
  } catch (error) {
    return (error as Error).message.replace(prefix, "").trim().split("\n");
  }
}

/** The files of home and the id; not the index of an empty write-ahead log, which has no content. */
const contents = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => /^(home|installation-id)/.test(name) && !name.endsWith("-shm"))
      .map((name) => [name, Bun.hash(readFileSync(join(folder, name))).toString()]),
  );

const LOG_STATE = "select doc, epoch, head, base_ref from quern.doc_owner order by doc";

describe.skipIf(!HAS_POSTGRES)(`the installation of a log${POSTGRES_NEEDED}`, () => {
  describe.each(["QUERN_LOG_TO", "QUERN_CLUSTER"] as const)("with %s", (setting) => {
    test("is named by the database, the folder and the home database, also on a new machine", async () => {
      const first = await installation(setting);
      const [row] = await query<{ id: string }>(first.log, "select id from quern.installation");
      expect(row?.id).toBe(first.id);
      expect(readInstallationIdOf(join(first.folder, "home.sqlite"))).toBe(first.id);
      const second = await run(setting, tempFolder(), first.log);
      expect(second.id).toBe(first.id);
      expect(readInstallationIdOf(join(second.folder, "home.sqlite"))).toBe(first.id);
    }, 60_000);

    test.each([
      {
        what: "folder",
        change: ({ folder }: Stopped, { id }: Stopped) => writeFileSync(join(folder, "installation-id"), id),
        named: "",
      },
      {
        what: "home database",
        change: ({ folder }: Stopped, other: Stopped) => {
          for (const name of readdirSync(folder)) {
            if (name.startsWith("home.sqlite")) rmSync(join(folder, name));
          }
          copyFileSync(join(other.folder, "home.sqlite"), join(folder, "home.sqlite"));
        },
        named: "/home.sqlite",
      },
    ])(
      "is not that of a $what of another one: one line, and nothing has changed",
      async ({ change, named }) => {
        const [one, other] = await Promise.all([installation(setting), installation(setting)]);
        change(one, other);
        const before = { files: contents(one.folder), rows: await query(one.log, LOG_STATE) };
        const lines = await refusal(setting, one);
        expect(lines).toHaveLength(1);
        expect(lines[0]).toContain(
          `The log belongs to another installation than ${one.folder}${named}; use another database or folder`,
        );
        expect({ files: contents(one.folder), rows: await query(one.log, LOG_STATE) }).toEqual(before);
      },
      60_000,
    );

    test("is not that of a home database that the log has from another one", async () => {
      const { log, id } = await installation(setting);
      await query(log, "update quern.installation set id = 'another'");
      const lines = await refusal(setting, { folder: tempFolder(), log });
      expect(lines.at(-1)).toContain(`The log is that of installation another, and its home database that of ${id}`);
    }, 60_000);

    test("has another id after --adopt into another database", async () => {
      const [one, other] = await Promise.all([installation(setting), installation(setting)]);
      {
        const settings = { [setting]: other.log };
        await using server = await startServerProcess({ folder: one.folder, settings, args: ["--adopt"] });
        expect(await server.stop()).toBe(0);
      }
      expect(readInstallationIdOf(join(one.folder, "home.sqlite"))).toBe(other.id);
      await run(setting, one.folder, other.log);
    }, 60_000);

    test("is refused when a newer version has changed its tables: one line, and nothing has changed", async () => {
      const one = await installation(setting);
      await query(one.log, "update quern.installation set tables_version = tables_version + 1");
      const before = { files: contents(one.folder), rows: await query(one.log, LOG_STATE) };
      const lines = await refusal(setting, one);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain("The log was written by a newer version");
      expect({ files: contents(one.folder), rows: await query(one.log, LOG_STATE) }).toEqual(before);
    }, 60_000);
  });
});
