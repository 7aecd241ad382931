import type { z } from "zod";
import type { Api } from "./api.ts";

/** A refusal by a tool itself, in the words of its arguments. */
export class ToolRefusal extends Error {
  override readonly name = "ToolRefusal";
  readonly code: string;
  /** What to do next. */
  readonly next: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: string,
    message: string,
    { next, details = {} }: { next: string; details?: Readonly<Record<string, unknown>> },
  ) {
    super(message);
    this.code = code;
    this.next = next;
    this.details = details;
  }
}

/** What clients may tell people about a tool, or ask them before they use it. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  /** False: a tool reaches nothing but the server. */
  readonly openWorldHint: false;
}

export interface ToolSpec<I extends z.ZodType, O extends z.ZodType> {
  readonly name: string;
  readonly title: string;
  /** For the model: when to use the tool, in a sentence or two. Contains nothing from documents. */
  readonly description: string;
  /** The scopes that a limited key needs; the tool is not listed without them. */
  readonly scopes: readonly string[];
  readonly annotations: ToolAnnotations;
  readonly input: I;
  readonly output: O;
  /** Arguments for the document of the tests, which run it. */
  readonly example: z.input<I>;
  run(api: Api, args: z.output<I>): Promise<z.input<O>>;
}

/** A tool whose arguments are checked at run time. */
export type Tool = ToolSpec<z.ZodType, z.ZodType>;

/** Declares a tool, with the types of its own schemas. */
export const tool = <I extends z.ZodType, O extends z.ZodType>(spec: ToolSpec<I, O>): Tool => spec;

export const READ_ONLY: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
/** Adds, and neither changes nor removes what exists. */
export const ADDS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};
/** Changes or removes what exists; the same call again changes nothing more. */
export const OVERWRITES: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
};
export const DESTRUCTIVE: ToolAnnotations = { ...OVERWRITES, idempotentHint: false };
