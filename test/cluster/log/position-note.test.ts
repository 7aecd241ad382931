/** What a folder remembers of its copy of a document. */
import { expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileMark, PositionNoteWriter, readPositionNote } from "../../../src/cluster/log/position-note.ts";

function temporaryPath() {
  const folder = mkdtempSync(join(tmpdir(), "note-"));
  return { path: join(folder, "log-state"), [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

const identity = { systemIdentifier: "7300000000000000001", timeline: 1, historyId: "h" };
const note = { bootId: "b", acknowledged: null, identity };
const acknowledged = { epoch: 3, seq: 123_456, checksum: "ab".repeat(32) };

test("a note says whether the document is open, and how far PostgreSQL acknowledged it", () => {
  using temporary = temporaryPath();
  const { path } = temporary;
  expect(readPositionNote(path)).toBeNull();
  const writer = new PositionNoteWriter({ path: `${path}.file`, notePath: path }, note);
  expect(readPositionNote(path)).toEqual({ ...note, isClean: false, file: null });
  writer.acknowledge(acknowledged);
  expect(readPositionNote(path)).toEqual({ ...note, isClean: false, acknowledged, file: null });
  writer.acknowledge({ epoch: 3, seq: 9, checksum: "" });
  expect(readPositionNote(path)?.acknowledged).toEqual({ epoch: 3, seq: 9, checksum: "" });
  writer.markClean();
  expect(readPositionNote(path)?.isClean).toBe(true);
});

test("a damaged note counts as missing", () => {
  using temporary = temporaryPath();
  const { path } = temporary;
  const writer = new PositionNoteWriter({ path: `${path}.file`, notePath: path }, note);
  writer.acknowledge(acknowledged);
  const text = readFileSync(path, "utf8");
  for (const damaged of ["", text.slice(0, 40), text.replace('"seq":', '"seq":"'), "\0".repeat(512), "null", "[]"]) {
    writeFileSync(path, damaged);
    expect(readPositionNote(path)).toBeNull();
  }
});

test("a note tells the file from a copy that was put in its place, while it is open and after it was closed", () => {
  using temporary = temporaryPath();
  const files = { path: `${temporary.path}.file`, notePath: temporary.path };
  writeFileSync(files.path, "content");
  const isSame = () => {
    const found = readPositionNote(files.notePath);
    return found !== null && found.file === fileMark(files.path, found);
  };
  const writer = new PositionNoteWriter(files, note);
  writeFileSync(files.path, "changed");
  expect(isSame()).toBe(true);
  const copy = `${files.path}.copy`;
  copyFileSync(files.path, copy);
  renameSync(copy, files.path);
  expect(isSame()).toBe(false);
  writer.markClean();
  expect(isSame()).toBe(true);
  writeFileSync(files.path, "other");
  expect(isSame()).toBe(false);
});
