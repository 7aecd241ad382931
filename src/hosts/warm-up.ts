import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DocumentGrant } from "../authorization.ts";
import { createDocumentFile } from "../doc/create-document.ts";
import { temporaryName } from "../lib/temporary-names.ts";
import { DocumentExecutor, type DocumentExecutorOptions } from "./document-executor.ts";
import { documentFile } from "./files/document-files.ts";
import type { VerbArgs, VerbName } from "./verbs/verbs.ts";

type WarmUpOptions = Omit<DocumentExecutorOptions, `on${string}`>;

/** Enough for the runtime to compile what each change and read runs. */
const ROUNDS = 20;

/**
 * Reads and changes a temporary document, as requests do, so that the first requests of this thread do not wait until
 * code is loaded and compiled. Other requests run in between. Nothing is reported and nothing is left.
 * @param grant on a document that does not exist
 */
export async function warmUp(grant: DocumentGrant, options: WarmUpOptions): Promise<void> {
  const folder = join(options.folder, "tmp", temporaryName("warm"));
  const path = documentFile(folder, grant.uuid);
  mkdirSync(dirname(path), { recursive: true });
  const executor = new DocumentExecutor({
    ...options,
    folder,
    onEvents() {},
    onRecalculated() {},
    onRulesChanged() {},
    onCommitted() {},
    onOpened() {},
    onClosed() {},
  });
  const call = async <V extends VerbName>(verb: V, args: VerbArgs<V>): Promise<void> => {
    const answer = await executor.call(grant, verb, args);
    if ("error" in answer) throw answer.error;
  };
  try {
    createDocumentFile(path, { now: options.clock.now() });
    for (let round = 1; round <= ROUNDS; round++) {
      const fields = { A: `row ${round}`, B: round };
      await call("records.add", {
        table: "Table1",
        body: json({ records: [{ fields }] }),
        noparse: false,
        flat: false,
      });
      const records = [{ id: round, fields: { C: "changed" } }];
      await call("records.modify", { table: "Table1", body: json({ records }), noparse: false });
      await call("records.fetch", { table: "Table1", typed: false, hidden: false });
    }
  } finally {
    executor.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const json = (body: object): Uint8Array => new TextEncoder().encode(JSON.stringify(body));
