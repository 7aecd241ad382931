/** Backups in a bucket. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listBackups } from "../../src/backup/list-backups.ts";
import { openTarget } from "../../src/backup/open-target.ts";
import { restoreBackup } from "../../src/backup/restore-backup.ts";
import { type BackupReport, createBackup } from "../../src/backup/create-backup.ts";
import { systemClock } from "../../src/lib/time/clock.ts";
import { sampleDocument, testApp } from "../helpers/app.ts";
import { upload } from "../helpers/attachments.ts";
import { runQuern, quernJson } from "../helpers/run-quern.ts";
import { S3_ACCESS, S3_BUCKET, startS3Server, type S3Server } from "../helpers/s3.ts";

let s3: S3Server;
let data: string;
let doc: string;
let folders: string;
beforeAll(async () => {
  const server = await testApp({ flags: { "attachments-inside": "1KB" } });
  doc = (await sampleDocument(server)).doc;
  // Uploaded in several parts.
  const large = new Uint8Array(randomBytes(6_000_000));
  expect((await upload(server, { doc, files: [{ name: "large.bin", content: large }] })).body).toEqual([1]);
  await server.app.close();
  data = server.folder;
  folders = mkdtempSync(join(tmpdir(), "quern-test-"));
});
beforeEach(() => {
  s3?.[Symbol.dispose]();
  s3 = startS3Server();
});
afterAll(() => {
  s3[Symbol.dispose]();
  for (const folder of [data, folders]) rmSync(folder, { recursive: true, force: true });
});

const PLACE = `s3://${S3_BUCKET}/nightly/backups`;
const access = () => ({ endpoint: s3.endpoint, region: "auto", ...S3_ACCESS });
const target = () => openTarget(PLACE, { access: access(), temporaryFolder: join(data, "tmp") });
const backUp = (keep = 0) =>
  createBackup({ folder: data, target: target(), keep, keepSnapshots: 1, clock: systemClock });
const env = () => ({
  QUERN_S3_ENDPOINT: s3.endpoint,
  QUERN_S3_ACCESS_KEY: S3_ACCESS.accessKeyId,
  QUERN_S3_SECRET_KEY: S3_ACCESS.secretAccessKey,
});
const keys = (): string[] => [...s3.objects.keys()].toSorted(undefined);
const left = (): string[] => readdirSync(join(data, "tmp"));

test("the command backs up to the bucket and restores from it", async () => {
  const { name } = await quernJson<BackupReport>(["backup", "--to", PLACE, "--data", data], env());
  expect(keys().every((key) => /^nightly\/backups\/(blobs\/|backups\/)/.test(key))).toBe(true);
  const folder = join(folders, "restored");
  const { status, out } = await runQuern(["restore", "--from", PLACE, "--data", folder], env());
  expect(status).toBe(0);
  expect(out).toEqual([`${doc}\tSample\tok`, `Restored backup ${name} with 1 document to ${folder}`]);
  expect(readdirSync(join(folder, "docs", doc, "attachments"))).toHaveLength(1);
  expect(left()).toEqual([]);
});

test("only changed blobs are uploaded, and unreferenced ones are deleted", async () => {
  await backUp();
  const sent = keys().length;
  const second = await backUp();
  expect(second.unchanged).toBe(1);
  // The manifest; the home database is unchanged.
  expect(keys()).toHaveLength(sent + 1);
  const third = await backUp(1);
  expect(third.removed).toBe(2);
  expect(keys()).toHaveLength(sent);
  expect(await listBackups(target())).toMatchObject([{ name: third.name, documents: 1, damage: null }]);
});

test("a failing service is reported, and creates no backup", async () => {
  s3.failing = true;
  const { status, err } = await runQuern(["backup", "--to", PLACE, "--data", data], env());
  expect({ status, err }).toEqual({
    status: 1,
    err: [expect.stringMatching(/^quern backup: request to s3:\/\/files\/nightly\/backups failed: /)],
  });
  s3.failing = false;
  expect(keys()).toEqual([]);
  expect(left()).toEqual([]);
});

test("a service that fails in the middle leaves earlier backups intact", async () => {
  const { name } = await backUp();
  const before = keys();
  const first = s3.objects.set.bind(s3.objects);
  s3.objects.set = (key, bytes) => {
    s3.failing = key.includes("/blobs/");
    return first(key, bytes);
  };
  rmSync(join(data, "docs", doc, "snapshots"), { recursive: true, force: true });
  await touch();
  expect(backUp()).rejects.toMatchObject({ code: "unavailable" });
  await backUp().catch(() => {});
  s3.failing = false;
  s3.objects.set = first;
  expect(keys().filter((key) => key.includes("/backups/2"))).toEqual(
    before.filter((key) => key.includes("/backups/2")),
  );
  const folder = join(folders, "whole");
  const restored = await restoreBackup({ target: target(), folder, clock: systemClock });
  expect(restored).toMatchObject({ name, documents: [{ uuid: doc, problems: [] }] });
  expect(left()).toEqual([]);
});

async function touch(): Promise<void> {
  const { Database } = await import("../../src/sqlite/database.ts");
  using db = new Database(join(data, "docs", doc, "document.grist"));
  db.run("update _grist_DocInfo set timezone = 'UTC' || abs(random())");
}

test("a missing blob is reported before anything is written", async () => {
  await backUp();
  s3.objects.delete(keys().find((key) => key.includes("/blobs/")) ?? "");
  const folder = join(folders, "missing");
  const restoring = restoreBackup({ target: target(), folder, clock: systemClock });
  expect(restoring).rejects.toMatchObject({ code: "damaged", message: expect.stringContaining("is incomplete") });
  await restoring.catch(() => {});
  expect(existsSync(folder)).toBe(false);
});

test("a bucket requires its settings", async () => {
  const bad = (place: string) => () => openTarget(place, { access: null, temporaryFolder: "" });
  expect(bad(PLACE)).toThrow("QUERN_S3_ENDPOINT");
  expect(bad("s3://")).toThrow("names no bucket");
  const { status, err } = await runQuern([
    "serve",
    "--data",
    join(folders, "none"),
    "--backup-to",
    PLACE,
    "--port",
    "0",
  ]);
  expect({ status, err: err.at(-1) }).toEqual({
    status: 1,
    err: expect.stringContaining("QUERN_BACKUP_TO is a bucket"),
  });
});
