/** Commands of administrators to the nodes of a cluster, sent through PostgreSQL. */
import { AppError, invalid } from "../errors.ts";
import { HOME } from "./local-documents.ts";
import type { OperatorCommand } from "./node/operator-commands.ts";
import { connect } from "./postgres/connect.ts";
import type { Connection } from "./postgres/connection.ts";
import { notify } from "./postgres/listener.ts";
import { parseLogUrl } from "./postgres/log-url.ts";
import { LOG_REFUSALS } from "./postgres/refusals.ts";
import { listNodes, type NodeRow } from "./postgres/statements/nodes.ts";
import { findOwner, readDocumentState } from "./postgres/statements/ownership.ts";
import { readInstallation } from "./postgres/tables.ts";

const POLL_MS = 100;
/** A node that does not begin to drain in this time does not hear commands. */
const RESPONSE_MS = 5000;
const DRAIN_MS = 60_000;
const RELEASE_MS = 15_000;

export interface DrainResult {
  readonly node: string;
  /** Documents that it had. */
  readonly documents: number;
}

/**
 * Has a node hand all its documents over, and waits until it has. It answers and forwards requests further on, and is not
 * ready for load balancers.
 * @throws AppError `notFound` for an unknown node, `conflict` without another node, `unavailable` when it does not happen
 */
export async function drainNode(url: string, id: string): Promise<DrainResult> {
  await using connection = await open(url);
  const nodes = (await listNodes(connection)).filter(({ isAlive }) => isAlive);
  const node = nodes.find((one) => one.id === id);
  if (!node) throw new AppError("notFound", `no living node ${id}; living nodes: ${namesOf(nodes)}`);
  if (!nodes.some((one) => one.id !== id && !one.isDraining)) {
    throw new AppError("conflict", `no other node can take the documents of ${id}: start one first`);
  }
  await send(connection, { kind: "drain", node: id });
  const find = async () => (await listNodes(connection)).find((one) => one.id === id && one.isAlive);
  const hasBegun = await poll(RESPONSE_MS, async () => (await find())?.isDraining ?? true);
  if (!hasBegun) throw new AppError("unavailable", `node ${id} does not respond`, { retryAfterS: 5 });
  const isDone = await poll(DRAIN_MS, async () => {
    const now = await find();
    return !now || (now.documents === 0 && !now.ownsHome);
  });
  if (!isDone) throw new AppError("unavailable", `node ${id} still has documents that are in use`, { retryAfterS: 30 });
  return { node: id, documents: node.documents };
}

export interface ReleaseResult {
  readonly doc: string;
  /** The node that had the document open; null if none had. */
  readonly node: string | null;
}

/**
 * Has the owner of a document close it, so that the node that gets the next request can open it.
 * @throws AppError `notFound` for an unknown document, `unavailable` when its owner keeps it
 */
export async function releaseFromOwner(url: string, doc: string): Promise<ReleaseResult> {
  if (doc === HOME) throw invalid("the home database moves with quern cluster drain");
  await using connection = await open(url);
  const state = await readDocumentState(connection, doc);
  if (!state || state.deletedAtMs !== null) throw new AppError("notFound", `the log has no document ${doc}`);
  const owner = await findOwner(connection, doc);
  if (!owner?.isAlive) return { doc, node: null };
  const { node, epoch } = owner;
  await send(connection, { kind: "release", node, doc });
  const isReleased = await poll(RELEASE_MS, async () => {
    const now = await findOwner(connection, doc);
    return now?.node !== node || now.epoch !== epoch;
  });
  if (!isReleased) throw new AppError("unavailable", `node ${node} keeps document ${doc}`, { retryAfterS: 5 });
  return { doc, node };
}

async function open(url: string): Promise<Connection> {
  const connection = await connect(parseLogUrl(url));
  try {
    if (!(await readInstallation(connection))) throw new AppError("notFound", LOG_REFUSALS.empty());
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

const send = (connection: Connection, command: OperatorCommand): Promise<void> =>
  notify(connection, "quern_operator", JSON.stringify(command));

const namesOf = (nodes: readonly NodeRow[]): string => nodes.map(({ id }) => id).join(", ") || "none";

/** Returns false when the condition does not hold in time. */
async function poll(ms: number, holds: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + ms;
  for (;;) {
    if (await holds()) return true;
    if (performance.now() > end) return false;
    await Bun.sleep(POLL_MS);
  }
}
