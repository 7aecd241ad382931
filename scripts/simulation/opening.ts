import type { LogPosition } from "../../src/cluster/protocol/log-types.ts";
import { decideOpening, type OpeningDecision } from "../../src/cluster/protocol/opening.ts";
import type { Content } from "./content.ts";
import type { NodeProcess } from "./process.ts";
import { type Answer, type Outcome, UNKNOWN } from "./requests.ts";
import { acquire, type Acquired, hasChunks, readBase, readTail, type Tail } from "./statements.ts";

export interface OpenDocument {
  readonly epoch: number;
  readonly head: LogPosition;
  readonly content: Content;
  readonly contentEpoch: string;
}

export interface OpeningHandlers {
  readonly isOver: () => boolean;
  readonly opened: (open: OpenDocument) => void;
  readonly failed: (outcome: Outcome) => void;
  readonly diverged: () => void;
}

const REFUSED: Outcome = { kind: "refused" };
const MAX_ATTEMPTS = 5;

/** Acquires a document, reads the log and brings the local file to the content of its head. */
export function openDocument(process: NodeProcess, document: string, handlers: OpeningHandlers): void {
  const { world, nodeId: node } = process;
  const acquirer = {
    document,
    node,
    isLeaseValid: () => process.isLeaseValid && process.nodeId === node,
    begunEpoch: () => process.begunEpochs.get(document) ?? 0,
    timelineWaitMs: () => process.timelineWaitMs,
    wallMs: () => process.clocks().wallMs,
    roundTripMs: () => {
      const isSlow = world.random.chance(world.scheduler.nowMs < world.database.stalledUntilMs ? 0.8 : 0.02);
      return isSlow ? 1500 + world.random.next() * 3000 : 1;
    },
    variant: world.variant,
  };
  const take = (result: Answer<Acquired>) => {
    if (handlers.isOver()) return;
    if (result === UNKNOWN) return handlers.failed(REFUSED);
    const { decision, epoch } = result;
    if (decision.kind === "ownedBy") return handlers.failed({ kind: "moved", node: decision.node });
    if (decision.kind !== "take" && decision.kind !== "begin") return handlers.failed(REFUSED);
    if (decision.kind === "take") world.checker.figures.takeOvers++;
    else world.checker.figures.begunHandOvers++;
    process.begunEpochs.set(document, Math.max(epoch, process.begunEpochs.get(document) ?? 0));
    readLog(process, document, { epoch, attempt: 1, handlers });
  };
  process.call(acquire(acquirer), take, { deadlineMs: 6000 });
}

interface Opening {
  readonly epoch: number;
  readonly attempt: number;
  readonly handlers: OpeningHandlers;
}

function readLog(process: NodeProcess, document: string, opening: Opening): void {
  const { handlers, epoch, attempt } = opening;
  const { world, folder } = process;
  if (attempt > MAX_ATTEMPTS) return handlers.failed(REFUSED);
  const local = folder.describe(document);
  const positions = { seq: local?.count?.seq ?? null, acknowledged: local?.acknowledged ?? null };
  process.call(readTail(world.database, document, positions), (tail) => {
    if (handlers.isOver()) return;
    if (tail === UNKNOWN || !tail || tail.epoch !== epoch || tail.node !== process.nodeId)
      return handlers.failed(REFUSED);
    let decision: OpeningDecision = decideOpening(local, tail.view);
    const isAhead = (local?.count?.seq ?? 0) > tail.view.head;
    if (world.variant === "keep-unshipped-commit" && local?.isIntact && isAhead) decision = { kind: "use" };
    if (decision.kind === "diverged") return handlers.diverged();
    const file = folder.read(document);
    if (decision.kind === "use" && file) return finish(process, document, { opening, tail, content: file.content });
    if (decision.kind === "applyTail" && file) {
      const content = applyRows(file.content, tail, decision.after);
      if (content) return finish(process, document, { opening, tail, content });
    }
    rebuild(process, document, { opening, tail, decision });
  });
}

/** Reads the base chunk by chunk; what was pruned meanwhile is read again from the start. */
function rebuild(
  process: NodeProcess,
  document: string,
  { opening, tail, decision }: { opening: Opening; tail: Tail; decision: OpeningDecision },
): void {
  const { handlers } = opening;
  const again = () => readLog(process, document, { ...opening, attempt: opening.attempt + 1 });
  const build = (base: Content, after: number) => {
    const content = applyRows(base, tail, after);
    if (!content) return again();
    // Renames are synced: a power cut does not bring the former file back.
    const former = process.folder.remove(document);
    if (former && decision.kind === "rebuild" && decision.mayHaveLost) {
      process.folder.diverged.push({ document, content: former });
    } else if (former) process.world.checker.replaced(document, former, content);
    finish(process, document, { opening, tail, content });
  };
  const { base, baseRef } = tail;
  if (baseRef === null || !base) return build(process.world.empty(document), 0);
  process.call(readBase(baseRef), (isComplete) => {
    if (handlers.isOver()) return;
    if (isComplete === UNKNOWN) return handlers.failed(REFUSED);
    if (!isComplete || !hasChunks(process.world.database, baseRef)) return again();
    build(base.content, base.seq);
  });
}

/** Applies the rows after `after`; null when one is missing. */
function applyRows(from: Content, { rows, view }: Tail, after: number): Content | null {
  let content = from;
  for (let seq = after + 1; seq <= view.head; seq++) {
    const row = rows[seq - (rows[0]?.seq ?? 0)];
    if (!row || row.seq !== seq) return null;
    content = content.with(row.change);
  }
  return content;
}

function finish(
  process: NodeProcess,
  document: string,
  { opening, tail, content }: { opening: Opening; tail: Tail; content: Content },
): void {
  const { folder, identity, world } = process;
  const { epoch, handlers } = opening;
  if (!identity) return handlers.failed(REFUSED);
  const contentEpoch = tail.rows.at(-1)?.contentEpoch ?? tail.base?.contentEpoch ?? "";
  folder.noteOpened(document, identity, world.variant !== "unsynced-opening-note");
  folder.write(document, { count: { epoch: contentEpoch, seq: tail.view.head }, content });
  handlers.opened({ epoch, head: tail.atHead, content, contentEpoch });
}
