import { expect, test } from "bun:test";
import { OutputStream } from "../../../src/lib/observability/output-stream.ts";

type Done = (error?: Error | null) => void;

/** A stream that accepts writes on request. */
function slowStream() {
  const written: string[] = [];
  const waiting: Done[] = [];
  return {
    written,
    finish(error?: Error) {
      for (const done of waiting.splice(0)) done(error);
    },
    stream: {
      on: () => undefined,
      write(text: string, done: Done) {
        written.push(text);
        waiting.push(done);
        return true;
      },
    },
  };
}

test("dropped lines are counted, and the next line starts on a new line", () => {
  const { stream, written, finish } = slowStream();
  let dropped = 0;
  const output = new OutputStream(stream, (lines) => (dropped += lines));
  output.write("one\ntwo\n");
  finish(new Error("ENOSPC"));
  output.write("three\n");
  finish();
  output.write("four\n");
  expect({ written, dropped, droppedLines: output.droppedLines }).toEqual({
    written: ["one\ntwo\n", "\nthree\n", "four\n"],
    dropped: 2,
    droppedLines: 2,
  });
});

test("a stalled reader costs at most a megabyte", async () => {
  const { stream, written, finish } = slowStream();
  const output = new OutputStream(stream);
  const line = `${"x".repeat(99_999)}\n`;
  for (let i = 0; i < 100; i++) output.write(line);
  expect(written).toHaveLength(10);
  expect(output.droppedLines).toBe(90);
  const drained = output.drained();
  finish();
  await drained;
  output.write(line);
  expect(written).toHaveLength(11);
});

test("a single text above the limit is written when the buffer is empty", () => {
  const { stream, written } = slowStream();
  const output = new OutputStream(stream);
  output.write(`${"x".repeat(2_000_000)}\n`);
  expect(written).toHaveLength(1);
});
