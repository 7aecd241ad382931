import { AppError } from "../../errors.ts";
import { randomHex, sha256Hex } from "../../lib/ids.ts";
import { openSealedText, sealText } from "../../lib/sealed-text.ts";
import type { Context } from "../context.ts";

/**
 * State of flows of several requests, which the browser keeps in a sealed cookie: every node can go on with it, and it does
 * not need a row until it is used.
 */
export type FlowPurpose = "pending" | "passkey" | "enrolment" | "confirmed";

/** State of a flow, with what makes it usable once. */
export type FlowState<T> = T & {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
};

/** Seals the state of a flow. @throws AppError `unavailable` on a node of a cluster that has no secret yet */
export function sealFlow<T extends object>(
  { home, clock }: Context,
  purpose: FlowPurpose,
  { state, lifetimeMs }: { state: T; lifetimeMs: number },
): string {
  const key = home.secrets.find("flow");
  if (!key) throw new AppError("unavailable", "The server has just started; try again");
  const content: FlowState<T> = { ...state, id: randomHex(16), expiresAt: clock.now() + lifetimeMs };
  return sealText(JSON.stringify(content), { key, purpose });
}

/** Opens the state of a flow; null if it is missing, expired, or was sealed for another purpose. */
export function openFlow<T extends object>(
  { home, clock }: Context,
  purpose: FlowPurpose,
  sealed: string | null,
): FlowState<T> | null {
  const key = home.secrets.find("flow");
  const text = key && sealed !== null ? openSealedText(sealed, { key, purpose }) : null;
  const state = text === null ? null : (JSON.parse(text) as FlowState<T>);
  return state && state.expiresAt > clock.now() ? state : null;
}

/** Marks the state of a flow as used; false if it already was. Must be called in a transaction. */
export const useFlow = ({ home }: Context, { id, expiresAt }: FlowState<object>): boolean =>
  home.usedChallenges.use(sha256Hex(`flow ${id}`), expiresAt);
