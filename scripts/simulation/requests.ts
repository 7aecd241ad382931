import type { Content } from "./content.ts";

export type Outcome =
  /** Done; shows `content`. */
  | { readonly kind: "done"; readonly content: Content }
  /** Certainly not applied. */
  | { readonly kind: "refused" }
  /** May be applied, or be applied later. */
  | { readonly kind: "unknown" }
  /** Not applied: another node owns the document. */
  | { readonly kind: "moved"; readonly node: string };

export type Action =
  | { readonly kind: "read" }
  | { readonly kind: "add"; readonly attachment: string | null }
  | { readonly kind: "detach" }
  | { readonly kind: "create" }
  | { readonly kind: "delete"; readonly target: string };

/** A client's request at the process that received it. */
export interface Request {
  readonly document: string;
  readonly token: number;
  readonly action: Action;
  /** Call once. */
  readonly answer: (outcome: Outcome) => void;
}

/** An answer of PostgreSQL that never came: the statement may or may not have been executed. */
export const UNKNOWN = Symbol("unknown");
export type Answer<Result> = Result | typeof UNKNOWN;
