import { describe, expect, test } from "bun:test";
import { readImageDimensions } from "../../src/files/image-dimensions.ts";
import { extensionOf, identOf, mediaType, servedName } from "../../src/files/file-names.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");
const PNG = bytes("\x89PNG\r\n\x1a\n");
const ZIP = bytes("PK\x03\x04");
const TEXT = bytes("hello");

describe("the extension that a file is served with", () => {
  test.each([
    ["of its name", "a.TXT", "text/plain", TEXT, ".txt"],
    ["the last one of its name", "a.tar.gz", "application/gzip", TEXT, ".gz"],
    ["of its name, when the type is another word for it", "a.jpeg", "image/jpeg", TEXT, ".jpeg"],
    ["of its name, when nothing is known of the type", "a.txt", "x/y", PNG, ".txt"],
    ["of its name, when nobody knows it", "a.xyz", "text/plain", TEXT, ".xyz"],
    ["of the type, when the name has none", "README", "text/plain", PNG, ".txt"],
    ["of bytes, when neither says more", "README", "application/octet-stream", PNG, ".bin"],
    ["none, when nothing tells", "README", "", TEXT, ""],
    ["none of a hidden file", ".profile", "x/y", TEXT, ""],
    ["of the content, when name and type disagree", "a.txt", "application/pdf", PNG, ".png"],
    ["of its name, when the content tells nothing either", "a.csv", "application/pdf", TEXT, ".csv"],
    ["of its name, for formats in zip files", "a.docx", "application/octet-stream", ZIP, ".docx"],
    ["of the content, for what is certainly no zip file", "a.png", "application/octet-stream", ZIP, ".zip"],
    ["of its name, where one format has several", "a.jpe", "text/plain", bytes("\xff\xd8\xff\xe0"), ".jpe"],
  ])("is %s", (_what, name, type, head, expected) => {
    expect(extensionOf({ name, type, head })).toBe(expected);
  });
});

test.each([
  ["styles.CSS", ".css", "styles.css"],
  ["README", ".bin", "README.bin"],
  ["photo.txt", ".png", "photo.png"],
  ["a/b/../c.txt", ".txt", "c.txt"],
  ["a.b.c", ".c", "a.b.c"],
  ["plain", "", "plain"],
  [".profile", ".txt", ".profile.txt"],
])("%j with the ending %j is handed out as %j", (name, extension, expected) => {
  expect(servedName(name, extension)).toBe(expected);
});

test.each([
  [".txt", "text/plain; charset=utf-8"],
  [".json", "application/json; charset=utf-8"],
  [".png", "image/png"],
  [".unknown", "application/octet-stream"],
  ["", "application/octet-stream"],
])("the type of %j is %s", (extension, type) => expect(mediaType(extension)).toBe(type));

test("omits extensions that are not valid in a file name from the ident", () => {
  const sha1 = "0123456789".repeat(4);
  expect(identOf(sha1, ".txt")).toBe(`${sha1}.txt`);
  expect(identOf(sha1, ".日本")).toBe(`${sha1}.日本`);
  for (const ending of [".a b", ".a/b", "..", `.${"x".repeat(30)}`, ".\u0000", ".\ud800"]) {
    expect([ending, [sha1, `${sha1}..`].includes(identOf(sha1, ending))]).toEqual([ending, true]);
  }
});

describe("image dimensions", () => {
  const gif = bytes("GIF89a\x05\x00\x07\x00\x00\x00\x00;");
  const png = bytes("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x02\x00\x00\x00\x01\x00\x08\x06\x00\x00\x00");

  test("are read from the first bytes", () => {
    expect(readImageDimensions(gif)).toEqual({ width: 5, height: 7 });
    expect(readImageDimensions(png)).toEqual({ width: 512, height: 256 });
  });

  test.each([
    new Uint8Array(0),
    TEXT,
    Uint8Array.from(gif.subarray(0, 7)),
    Uint8Array.from(png.subarray(0, 18)),
    bytes("\xff\xd8\xff\xe1\xff\xff"),
  ])("is null for what is no picture or cut off", (head) => expect(readImageDimensions(head)).toBeNull());
});
