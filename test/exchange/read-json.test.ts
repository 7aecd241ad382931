import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { jsonReader } from "../../src/exchange/read-json.ts";
import { tempFolder } from "../helpers/folder.ts";
import { readAll } from "./made.ts";

const folder = tempFolder();

function read(content: string | Uint8Array): ReturnType<typeof readAll> {
  const path = join(folder, "a.json");
  writeFileSync(path, content);
  return readAll(jsonReader, path);
}

test("a list of objects is a table, whose columns are all keys in the order they come", async () => {
  const content = [{ a: 1, b: "x" }, { b: null, c: true, a: { d: [1] } }, {}, JSON.parse('{"__proto__": 7}')];
  expect(await read(JSON.stringify(content))).toEqual([
    {
      name: "file",
      labels: ["a", "b", "c", "__proto__"],
      rows: [
        [1, "x", null, null],
        ['{"d":[1]}', null, true, null],
        [null, null, null, null],
        [null, null, null, 7],
      ],
    },
  ]);
});

test("an object of lists is a table for each", async () => {
  expect(await read('\ufeff{"People": [{"n": 1}], "Pets": []}')).toEqual([
    { name: "People", labels: ["n"], rows: [[1]] },
    { name: "Pets", labels: [], rows: [] },
  ]);
});

test("UTF-16 is read as well", async () => {
  expect((await read(Buffer.from('\ufeff[{"é": "雪"}]', "utf16le")))[0]?.rows).toEqual([["雪"]]);
});

test.each(["", "5", "null", "[1]", "[[1]]", '{"a": 1}', '{"a": [1]}', "[{]", '[{"a": 1}'])(
  "%j is refused",
  async (content) => {
    const error = await read(content).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: "invalid" });
  },
);

test("what is nested without end is refused", async () => {
  const error = await read(`[{"a":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}]`).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: "invalid", message: expect.stringContaining('"a"') });
});
