import { Database } from "bun:sqlite";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { type Fault, Findings, until } from "./fault.ts";
import { startFaultServer, type FaultServer, VerifyingWriter } from "./fault-server.ts";

const REQUESTS = 40;
const ROW_BYTES = 5000;
const CLOSE_TIMEOUT_MS = 30_000;

/**
 * Some pages of one document's file are corrupted: requests for it are answered with an error, all others succeed, and
 * it recovers when the pages are restored.
 */
export const corruptPage: Fault = {
  name: "corrupt-page",
  async run({ isQuick }) {
    await using faultServer = await startFaultServer({ settings: { QUERN_MAX_OPEN: "1" } });
    const findings = new Findings();
    const writers = {
      own: new VerifyingWriter(faultServer, faultServer.own, "own"),
      other: new VerifyingWriter(faultServer, faultServer.other, "other"),
    };
    for (let i = 0; i < REQUESTS; i++) await writers.own.add(ROW_BYTES);
    const rounds = isQuick ? 1 : 5;
    let refusals = 0;
    for (let round = 0; round < rounds; round++) {
      const file = await waitUntilClosed(faultServer);
      await using spoilt = await corruptPages(file);
      const read = await faultServer.request("GET", `/docs/${faultServer.own}/tables/Items/records`);
      findings.expectAnswer("reading the damaged table", read, [500, /damaged/]);
      const deleted = await faultServer.request("POST", `/docs/${faultServer.own}/apply`, [["RemoveTable", "Items"]]);
      findings.expectAnswer("a change of the damaged table", deleted, [500, /damaged/]);
      refusals += 2;
      findings.expectAnswer("another document", await writers.other.add(), [200]);
      const checked = await faultServer.server.command("doc", "check", file).then(
        () => "ok",
        (error: Error) => error.message,
      );
      findings.expect(/problem/.test(checked), `doc check reports: ${checked}`);
      await spoilt.mend();
      const back = await until(async () => (await writers.own.add()).status === 200, 5000);
      findings.expect(back !== undefined, "the document does not recover when its file is restored");
    }
    for (const writer of Object.values(writers)) await writer.verify(findings);
    await faultServer.check(findings);
    return { figures: `${rounds} times damaged, ${refusals} requests refused`, problems: findings.problems };
  },
};

/** Waits until the document is closed and consists of one file: opening another one evicts it. */
async function waitUntilClosed({ requestOk, workspace, data, own }: FaultServer): Promise<string> {
  const file = join(data, "docs", own, "document.grist");
  const isClosed = async () => {
    const another = await requestOk<string>("POST", `/workspaces/${workspace}/docs`, { name: "Another" });
    await requestOk("GET", `/docs/${another}/tables`);
    return !(await Bun.file(`${file}-wal`).exists());
  };
  if ((await until(isClosed, CLOSE_TIMEOUT_MS)) === undefined) throw new Error("the document is not closed");
  return file;
}

/** Corrupts pages of the table; returns a function that restores them. */
async function corruptPages(path: string) {
  const { root, size } = tablePageRange(path);
  const file = await open(path, "r+");
  const before = new Uint8Array(size);
  await file.read(before, 0, size, root);
  await file.write(new Uint8Array(size).fill(0x5a), 0, size, root);
  await file.sync();
  let isMended = false;
  const mend = async () => {
    if (isMended) return;
    isMended = true;
    await file.write(before, 0, size, root);
    await file.close();
  };
  return { mend, [Symbol.asyncDispose]: mend };
}

/** Returns the location of the root page of the table's B-tree. */
function tablePageRange(path: string): { root: number; size: number } {
  using db = new Database(path, { readonly: true });
  // Closing may still be in progress.
  db.run("pragma busy_timeout = 5000");
  const { rootpage } = db.query("select rootpage from sqlite_master where name = 'Items'").get() as {
    rootpage: number;
  };
  const { page_size: size } = db.query("pragma page_size").get() as { page_size: number };
  return { root: (rootpage - 1) * size, size };
}
