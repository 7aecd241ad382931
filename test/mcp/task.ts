/** The form of a task of an agent: the calls of tools, the result of each, and the records afterwards. */
import type { GivenLimits } from "../../src/services/keys/limits.ts";
import type { UserName } from "../helpers/app.ts";
import type { McpSite } from "./mcp-site.ts";

/** The documents of a task, and the results of its calls so far. */
export interface Scene extends McpSite {
  // oxlint-disable-next-line typescript/no-explicit-any -- tests access results freely
  readonly results: readonly any[];
}

/** A call of a tool, with a part of its result. Refused calls name what to do next. */
export interface ToolStep {
  readonly tool: string;
  readonly args: (scene: Scene) => Record<string, unknown>;
  readonly gives: object;
  /** Text that `next` of a refusal contains. */
  readonly refusedWith?: string;
}

/** A request of another user meanwhile. */
export interface OtherStep {
  readonly by: UserName;
  readonly request: (scene: Scene) => readonly [method: string, path: string, body?: unknown];
}

export interface Task {
  readonly goal: string;
  /** Whose key; the owner's by default. */
  readonly as?: UserName;
  readonly limits?: Partial<GivenLimits>;
  readonly steps: readonly (ToolStep | OtherStep)[];
  /** Orders afterwards, in the order of their ids, as far as they matter. */
  readonly orders?: readonly object[];
  readonly customers?: readonly object[];
}

export const inStock =
  (args: Record<string, unknown> = {}) =>
  (scene: Scene) => ({ document: scene.stock, ...args });
export const inOrders = (args: Record<string, unknown> = {}) => inStock({ table: "Orders", ...args });

/** The arguments of an undo of what followed the first call, which lists the history. */
export const sinceFirst = ({ stock, results }: Scene) => ({ document: stock, since: results[0].changes[0].state });

/** The orders of a new document. */
export const ORDERS = [
  { Item: "Rice", Qty: 5, Status: "open" },
  { Item: "Salt", Qty: 2, Status: "sent" },
  { Item: "Rice", Qty: 7, Status: "open" },
];
