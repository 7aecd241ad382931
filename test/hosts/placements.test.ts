/** Which worker a document is opened in. */
import { expect, test } from "bun:test";
import { AnswerGate } from "../../src/hosts/answer-gate.ts";
import { DocumentWorker } from "../../src/hosts/threads/document-worker.ts";
import { Placements } from "../../src/hosts/threads/placements.ts";
import { silentLog } from "../../src/lib/observability/log.ts";
import { expectPoll } from "../helpers/expect-poll.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { keepingIn } from "./hosted.ts";

function startPlacements(maxWorkers: number): Placements & AsyncDisposable {
  const folder = tempFolder();
  const startWorker = () =>
    new DocumentWorker({
      data: { ...keepingIn(folder), access: "write", showsDebug: false },
      gate: new AnswerGate(),
      onNotification() {},
      onCrash() {},
    });
  const placements = new Placements({ log: silentLog, maxWorkers, startWorker, maxOpen: 100, onExcess() {} });
  return Object.assign(placements, {
    async [Symbol.asyncDispose]() {
      for (const worker of placements.workers) await worker.terminate();
    },
  });
}

test("while a worker is ready, a document is not opened in one that starts; that is used once it is ready", async () => {
  await using placements = startPlacements(3);
  const first = placements.use("a").worker;
  await first.call({ kind: "measure" });
  const busy = first.call({ kind: "measure" });
  expect(placements.use("b").worker).toBe(first);
  expect(placements.use("c").worker).toBe(first);
  // One at a time.
  expect(placements.workers.size).toBe(2);
  await busy;
  const [, spare] = placements.workers;
  await expectPoll(() => spare?.isReady === true && spare.pending === 0).toBe(true);
  const again = first.call({ kind: "measure" });
  expect(placements.use("d").worker).toBe(spare as DocumentWorker);
  await again;
});

test("without a worker that is ready, documents are opened in new ones, up to the limit", async () => {
  await using placements = startPlacements(2);
  const workers = ["a", "b", "c"].map((uuid) => {
    const { worker } = placements.use(uuid);
    void worker.call({ kind: "measure" });
    return worker;
  });
  expect(new Set(workers).size).toBe(2);
  await Promise.all(workers.map((worker) => worker.call({ kind: "measure" })));
});
