import type { DryRunReport } from "./types/answers.ts";
import type { RequiredFields, TableName, WrittenFields } from "./types/schema.ts";
import type { DeleteOptions } from "./table.ts";

/** An id in the result of an earlier operation, or all of its ids. */
export interface BatchReference {
  $ref: string;
}

/** Refers to the result of an earlier operation of a batch: `ref("order.ids.0")`. */
export const ref = (path: `${string}.ids` | `${string}.ids.${number}`): BatchReference => ({ $ref: path });

type Referring<Fields> = { [C in keyof Fields]: Fields[C] | BatchReference };

interface Named<T> {
  /** A name for references to the result. */
  as?: string;
  table: T;
}

type OperationOn<S, T extends keyof S> =
  | (Named<T> & { op: "add"; records: readonly { fields?: Referring<WrittenFields<S, T>> }[] })
  | (Named<T> & {
      op: "update";
      records: readonly { id: number | BatchReference; fields: Referring<WrittenFields<S, T>> }[];
    })
  | (Named<T> & {
      op: "upsert";
      records: readonly { require: Referring<RequiredFields<S, T>>; fields?: Referring<WrittenFields<S, T>> }[];
      onmany?: "first" | "none" | "all";
      noadd?: boolean;
      noupdate?: boolean;
      allow_empty_require?: boolean;
    })
  | (Named<T> & { op: "delete"; ids: readonly (number | BatchReference)[] | BatchReference });

/** A write of records of one table. */
export type BatchOperation<S> = { [T in TableName<S>]: OperationOn<S, T> }[TableName<S>];

export interface BatchResult {
  as?: string;
  /** In the order of the records; null for a record that `upsert` neither matched nor added. */
  ids: (number | null)[];
}

export type BatchAnswer<Options extends DeleteOptions> = Options extends { dryrun: true }
  ? DryRunReport
  : BatchResult[];
