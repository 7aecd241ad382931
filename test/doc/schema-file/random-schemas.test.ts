import { expect, test } from "bun:test";
import { checkDocumentFile } from "../../../src/doc/check-document.ts";
import { AppError } from "../../../src/errors.ts";
import { Random } from "../../helpers/random.ts";
import { randomRuns } from "../../helpers/random-runs.ts";
import { randomAction } from "../actions/random-actions.ts";
import { startDocument } from "../actions/random-start.ts";
import { Scratch } from "../actions/scratch.ts";
import { applyFile, pulled } from "./schema-files.ts";

const RUNS = randomRuns(10, 200);
const STEPS = Number(process.env["QUERN_TEST_STEPS"] ?? 8);
const seed = Number(process.env["QUERN_TEST_SEED"] ?? 1);

function change(scratch: Scratch, random: Random): void {
  for (let step = 0; step < STEPS; step++) {
    try {
      scratch.apply([randomAction(scratch, random)]);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
}

test(`a schema file brings a changed document and an empty one back to its schema (QUERN_TEST_SEED=${seed})`, () => {
  for (let own = seed; own < seed + RUNS; own++) {
    try {
      run(own);
    } catch (error) {
      throw new Error(`QUERN_TEST_SEED=${own} QUERN_TEST_SEQUENCES=1: ${(error as Error).message}`, { cause: error });
    }
  }
}, 3_600_000);

function run(own: number): void {
  const random = new Random(own);
  using scratch = startDocument(own);
  change(scratch, random);
  const before = pulled(scratch.document);
  expect(applyFile(scratch.document, before)).toEqual([]);
  expect(pulled(scratch.document)).toBe(before);
  change(scratch, random);
  // Such a section refuses titles.
  if (scratch.document.schema.tables.some((table) => table.rawViewSectionRef === table.recordCardViewSectionRef))
    return;
  applyFile(scratch.document, before);
  expect(pulled(scratch.document)).toBe(before);
  expect(applyFile(scratch.document, before)).toEqual([]);
  expect(checkDocumentFile(scratch.document.path).problems).toEqual([]);
  using empty = new Scratch();
  applyFile(empty.document, before);
  expect(pulled(empty.document)).toBe(before);
}
