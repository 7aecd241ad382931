import { expect, test } from "bun:test";
import { FUNCTIONS } from "../../../src/formula/functions/registry.ts";

const inCapitals = (name: string): boolean => /^[A-Z][A-Z0-9_]*$/.test(name);

test("the reference documents exactly the functions of the library", async () => {
  const text = await Bun.file(`${import.meta.dir}/../../../docs/functions.md`).text();
  const described = Array.from(text.matchAll(/^\| `([A-Z0-9_]+)\(/gm), ([, name = ""]) => name);
  const last = text.slice(text.lastIndexOf("IFERROR catches."));
  const unimplemented = Array.from(last.matchAll(/\b[A-Z][A-Z0-9_]*\b/g), ([name]) => name).slice(1);
  const library = [...FUNCTIONS.keys()].filter(inCapitals);
  expect([...described, ...unimplemented].toSorted()).toEqual(library.toSorted());
});
