/** Reports of dry runs, shortened for the context of a model. */
import { z } from "zod";
import { cutTexts } from "../results.ts";

interface TableReport {
  readonly table: string;
  readonly rows: Readonly<Record<string, number>>;
  readonly cells: Readonly<Record<string, number>>;
  readonly added: readonly unknown[];
  readonly changed: readonly ChangedRow[];
  readonly removed: readonly unknown[];
}

export interface ChangedRow {
  readonly id: number;
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}

/** What a change would do, as `?dryrun=1` reports it. */
export interface DryRunReport {
  readonly tables: readonly TableReport[];
  readonly schema: unknown;
  readonly webhooks: readonly unknown[];
}

/** Maximum number of rows of each kind and table. */
const MAX_SAMPLES = 10;
const MAX_TABLES = 20;
const MAX_TEXT_CHARACTERS = 500;

export const wouldChange = z
  .looseObject({})
  .optional()
  .describe("With dryRun: tables (numbers of rows and cells, samples), schema, webhooks");

/** Returns the numbers, and samples of rows. Metadata tables say the same as `schema`. */
export const shortenReport = ({ tables, schema, webhooks }: DryRunReport) =>
  cutTexts(
    {
      tables: tables
        .filter(({ table }) => !table.startsWith("_grist_"))
        .slice(0, MAX_TABLES)
        .map(({ added, changed, removed, ...numbers }) => ({
          ...numbers,
          added: added.slice(0, MAX_SAMPLES),
          changed: changed.slice(0, MAX_SAMPLES),
          removed: removed.slice(0, MAX_SAMPLES),
        })),
      schema,
      webhooks,
    },
    MAX_TEXT_CHARACTERS,
  );
