import type { LogDatabase } from "../postgres/log-database.ts";
import { handOverDocument, releaseDocument } from "../postgres/statements/ownership.ts";

/** An ownership whose log is closed. */
export interface ClosedOwnership {
  readonly doc: string;
  readonly node: string;
  readonly epoch: number;
  /** The node that gets the document; null to let any node have it. */
  readonly successor?: string | null;
  /** As `EndingOwnership`; undefined to leave it as it is. */
  readonly dueInMs?: number | null | undefined;
}

/**
 * Hands a document over, or releases it. Never throws: when the outcome is unknown, it is released with the node's lease,
 * or acquired again.
 */
export async function endOwnership(
  database: LogDatabase,
  closed: ClosedOwnership,
): Promise<"handedOver" | "released" | "unknown"> {
  const { doc, node, epoch, successor = null, dueInMs } = closed;
  const ending = { doc, node, epoch, ...(dueInMs !== undefined && { dueInMs }) };
  try {
    const connection = await database.control();
    if (successor !== null && (await handOverDocument(connection, { ...ending, to: successor }))) return "handedOver";
    // The other node may have lost its lease meanwhile.
    await releaseDocument(connection, ending);
    return "released";
  } catch {
    return "unknown";
  }
}
