import { mkdtemp, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXECUTABLE } from "../running-server.ts";
import { DiskWriters } from "./disk-writers.ts";
import type { Fault, Findings, FaultOutcome } from "./fault.ts";
import { createMounts, mountsUnavailableReason, type PrivateMounts } from "./private-mounts.ts";
import { startFaultServer, type FaultServer, type VerifyingWriter } from "./fault-server.ts";

const SIZE_MB = 24;
const FULL = /storage\.failed/;

/** The disk fills up during concurrent writes, and is freed again, several times. */
export const diskFull: Fault = {
  name: "disk-full",
  missing: mountsUnavailableReason,
  async run({ isQuick }) {
    const data = await mkdtemp(join(tmpdir(), "quern-fault-full-"));
    using mounts = await createMounts(data, SIZE_MB);
    try {
      await using faultServer = await startFaultServer({ data, executable: [...mounts.wrapper, EXECUTABLE] });
      return await fillRepeatedly(new DiskWriters(faultServer, { isQuick }), mounts);
    } finally {
      await rm(data, { recursive: true, force: true });
    }
  },
};

async function fillRepeatedly(writers: DiskWriters, mounts: PrivateMounts): Promise<FaultOutcome> {
  const { faultServer, findings } = writers;
  const filler = mounts.hostPath(join(faultServer.data, "filler"));
  for (let round = 0; round < writers.rounds; round++) {
    for (const writer of writers.all) await writer.add(1000);
    await fill(filler);
    await exhaust(writers.all, findings);
    await refusals(faultServer, findings);
    await unlink(filler);
    await writers.recover(writers.own, { size: 100, problem: "writing does not resume when space is freed" });
    for (const writer of writers.all) findings.expectAnswer("writing afterwards", await writer.add(100), [200]);
    findings.expectAnswer("an upload afterwards", await upload(faultServer), [200]);
    const made = await faultServer.request("POST", `/workspaces/${faultServer.workspace}/docs`, { name: "Later" });
    findings.expectAnswer("a new document afterwards", made, [200]);
  }
  await writers.verify();
  const left = [...new Bun.Glob("*").scanSync({ cwd: mounts.hostPath(join(faultServer.data, "tmp")) })];
  findings.expect(left.length === 0, `temporary files are left: ${left.join(", ")}`);
  return writers.outcome("full");
}

/** Fills the rest of the disk, to the last block. */
async function fill(filler: string): Promise<void> {
  await writeFile(filler, "");
  for (const size of [1_048_576, 65_536, 4096]) {
    const block = new Uint8Array(size);
    try {
      for (;;) await writeFile(filler, block, { flag: "a" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  }
}

/** Space that was preallocated may take some more writes; then they are refused. */
async function exhaust(writers: readonly VerifyingWriter[], findings: Findings): Promise<void> {
  for (const writer of writers) {
    let answer = await writer.add(20_000);
    for (let i = 0; i < 500 && answer.status === 200; i++) answer = await writer.add(20_000);
    findings.expectAnswer("writing to a full disk", answer, [507, FULL]);
  }
}

async function refusals(faultServer: FaultServer, findings: Findings): Promise<void> {
  const { own, other, workspace, request } = faultServer;
  for (const document of [own, other]) {
    findings.expectAnswer("reading", await request("GET", `/docs/${document}/tables/Items/records?limit=5`), [200]);
  }
  findings.expectAnswer("the status", await request("GET", "/status?ready=1"), [200]);
  findings.expectAnswer("an upload to a full disk", await upload(faultServer), [507, FULL]);
  const made = await request("POST", `/workspaces/${workspace}/docs`, { name: "Refused" });
  findings.expectAnswer("a new document on a full disk", made, [507, FULL]);
  const copied = await request("POST", `/docs/${own}/copy`, { workspaceId: workspace, documentName: "Refused" });
  findings.expectAnswer("a copy on a full disk", copied, [507, FULL]);
  const listed = await request("GET", `/workspaces/${workspace}`);
  findings.expect(!listed.text.includes("Refused"), "a document that was refused is listed");
}

function upload({ own, request }: FaultServer) {
  const form = new FormData();
  form.append("upload", new File([new Uint8Array(300_000).fill(7)], "a.bin"));
  return request("POST", `/docs/${own}/attachments`, form);
}
