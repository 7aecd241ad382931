/**
 * Commits to a document in log mode until it is killed: `FOLDER UUID SEED FILE`. Appends each commit to the file before it
 * is answered, and writes to stdout once it has begun.
 */
import { openSync, writeSync } from "node:fs";
import { anonymous, type DocumentGrant, NO_REQUEST_INFO } from "../../src/authorization.ts";
import { FORMULA_LIMITS } from "../../src/doc/document.ts";
import { HISTORY_LIMITS } from "../../src/doc/history.ts";
import { createInProcessRuntime } from "../../src/hosts/in-process-runtime.ts";
import { silentLog } from "../../src/lib/observability/log.ts";
import { systemClock } from "../../src/lib/time/clock.ts";
import { Random } from "../helpers/random.ts";
import { encodeRecord } from "./crash-records.ts";

const [folder = "", uuid = "", seed = "0", path = ""] = Bun.argv.slice(2);
const file = openSync(path, "a");
const grant = {
  uuid,
  role: "owners",
  documentId: 1,
  workspaceId: 1,
  orgId: 1,
  actor: anonymous,
  request: NO_REQUEST_INFO,
} as unknown as DocumentGrant;
const random = new Random(Number(seed));
const encoder = new TextEncoder();

const runtime = createInProcessRuntime({
  folder,
  clock: systemClock,
  log: silentLog,
  durability: "off",
  isLogged: true,
  history: HISTORY_LIMITS,
  formulas: FORMULA_LIMITS,
  onCommitted: (_uuid, commit) => void writeSync(file, encodeRecord(commit)),
});

const add = (count: number, text: string): Promise<unknown> => {
  const records = Array.from({ length: count }, (_, n) => ({ fields: { A: `${text} ${n}`, B: random.below(1000) } }));
  const body = encoder.encode(JSON.stringify({ records }));
  return runtime.call(grant, "records.add", { table: "Table1", noparse: true, flat: false, body });
};

await add(1, "first");
writeSync(1, "begun");
for (;;) {
  if (random.oneIn(12)) await runtime.call(grant, "document.flush", null);
  if (random.oneIn(40)) await runtime.whileClosed(uuid, () => undefined);
  if (random.oneIn(10)) await Promise.all([add(1, "a"), add(2, "b"), add(1, "c")]);
  else await add(random.oneIn(8) ? 400 : 1, "x".repeat(random.below(300)));
}
