import { describe, expect, test } from "bun:test";
import { distantId, millionRowOf, CODES, codeOf, MILLION_COLUMNS } from "../../scripts/bench/million/rows.ts";
import { ownMemoryMb, processTree } from "../../scripts/bench/own-memory.ts";

describe("rows of the million benchmark", () => {
  test.each([997, 1000, 20_000, 618_034])("ids of %i rows are all reached, and none repeats", (rows) => {
    const ids = new Set(Array.from({ length: rows }, (_, n) => distantId(n, rows)));
    expect(ids.size).toBe(rows);
    expect(Math.min(...ids)).toBe(1);
    expect(Math.max(...ids)).toBe(rows);
  });

  test("each code has the same number of rows, and every column a cell", () => {
    const counts = new Map<string, number>();
    for (let id = 1; id <= CODES * 3; id++) counts.set(codeOf(id), (counts.get(codeOf(id)) ?? 0) + 1);
    expect(new Set(counts.values())).toEqual(new Set([3]));
    expect(counts.size).toBe(CODES);
    expect(millionRowOf(7)).toHaveLength(MILLION_COLUMNS.length);
    expect(millionRowOf(7)).not.toContain("");
  });
});

describe.skipIf(process.platform !== "linux")("own memory of a server (Linux only)", () => {
  test("includes processes that it started", async () => {
    const script = `const child = Bun.spawn(["sleep", "1000"]);
      const held = Buffer.alloc(50_000_000, 1);
      console.log(child.pid);
      process.stdin.on("end", () => { child.kill(); process.exit(held[0] === 1 ? 0 : 1); }).resume();`;
    const parent = Bun.spawn([process.execPath, "-e", script], { stdin: "pipe", stdout: "pipe" });
    const { value } = await parent.stdout.getReader().read();
    const child = Number(new TextDecoder().decode(value));
    expect(processTree(parent.pid)).toContain(child);
    const both = ownMemoryMb(parent.pid);
    expect(both).toBeGreaterThan(47);
    expect(both).toBeGreaterThan(ownMemoryMb(child));
    await parent.stdin.end();
    expect(await parent.exited).toBe(0);
    expect(ownMemoryMb(parent.pid)).toBe(0);
  });
});
