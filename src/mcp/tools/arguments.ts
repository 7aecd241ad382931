/** Arguments and results that several tools share. Descriptions are short: the list of tools is part of each prompt. */
import { z } from "zod";

export const document = z.string().min(1).max(200).describe("Id or name of the document");
export const table = z.string().min(1).max(200).describe("Id of the table");
const columnId = z.string().min(1).max(1000);
export const columns = z.array(columnId).max(200);

export const filter = z
  .record(z.string(), z.unknown())
  .describe('Conditions by column: {"City": {"eq": "Oslo"}, "Qty": {"gt": 3}}; also and, or, not');

export const at = z.string().max(100).optional().describe("Read the past: number of a state, or ISO time");

export const fields = z.record(z.string(), z.unknown()).describe("Cells by column id");

export const dryRun = z.boolean().optional().describe("Change nothing; report what would change");
export const maxRows = z.int().min(1).max(200_000).optional().describe("How many rows filter may select; default 1000");

/** A list of objects whose members are documented in prose, to keep the list of tools small. */
export const objects = (description: string) => z.array(z.looseObject({})).describe(description);

export const more = z.string().optional().describe("Present if the result is incomplete: how to get the rest");
