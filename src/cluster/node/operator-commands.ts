import { z } from "zod";
import type { Log } from "../../lib/observability/log.ts";
import type { Notifications } from "./notifications.ts";

/** A command of an administrator to a node. The right to write to the database is the right to send it. */
export type OperatorCommand = z.infer<typeof COMMAND>;

const COMMAND = z.discriminatedUnion("kind", [
  /** Hand all documents over, and take none. */
  z.object({ kind: z.literal("drain"), node: z.string() }),
  /** Close a document, so that any node can own it. */
  z.object({ kind: z.literal("release"), node: z.string(), doc: z.string() }),
]);

/** A node, as far as administrators command it. */
export interface CommandedNode {
  /** The id of this node; null while it has no lease. */
  nodeId(): string | null;
  drain(): Promise<unknown>;
  release(doc: string): Promise<unknown>;
}

/** Carries the commands for this node out. They are not repeated: the command that sent one watches its effect. */
export function obeyOperators(notifications: Notifications, { node, log }: { node: CommandedNode; log: Log }): void {
  notifications.subscribe("quern_operator", (payload) => {
    const command = payload === null ? null : parseCommand(payload);
    if (!command || command.node !== node.nodeId()) return;
    log.info("cluster.command_received", command);
    void carryOut(node, command).catch((error: unknown) =>
      log.warn("cluster.command_failed", { ...command, error: String(error) }),
    );
  });
}

async function carryOut(node: CommandedNode, command: OperatorCommand): Promise<void> {
  if (command.kind === "drain") await node.drain();
  else await node.release(command.doc);
}

function parseCommand(payload: string): OperatorCommand | null {
  try {
    return COMMAND.safeParse(JSON.parse(payload)).data ?? null;
  } catch {
    return null;
  }
}
