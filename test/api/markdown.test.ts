import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { MAX_TEXT_LENGTH, MAX_TEXTS, MAX_TOTAL_LENGTH } from "../../src/wire/documents/markdown.ts";
import { testApp, type TestApp } from "../helpers/app.ts";
import { callWithToken, createToken } from "../helpers/end-users.ts";
import { createSharedFixture } from "../helpers/request-steps.ts";

let server: TestApp;
let doc: string;

beforeAll(async () => {
  server = await testApp();
  ({ doc } = await createSharedFixture(server, {}));
});
afterAll(() => server[Symbol.asyncDispose]());

const bold = [{ open: "p" }, { open: "strong" }, { text: "a" }, { close: "strong" }, { close: "p" }];

describe("texts in Markdown are rendered", () => {
  test("in their order, also long ones", async () => {
    const long = `${"word ".repeat(1000)}**end**`;
    const { texts } = await server.must<{ texts: unknown[][] }>("POST", `${doc}/markdown`, {
      texts: ["**a**", "", long, "**a**"],
    });
    expect([texts[0], texts[1], texts[3]]).toEqual([bold, [], bold]);
    expect(texts[2]).toContainEqual({ text: "end" });
  });
});

describe("are refused", () => {
  const text = "x".repeat(MAX_TEXT_LENGTH);
  test.each([
    ["too many texts", Array.from({ length: MAX_TEXTS + 1 }, () => "")],
    ["a text that is too long", [`${text}x`]],
    ["texts that are too long together", Array.from({ length: MAX_TOTAL_LENGTH / MAX_TEXT_LENGTH + 1 }, () => text)],
    ["no texts", "a"],
    ["numbers", [1]],
  ])("%s", async (_, texts) => {
    const { status } = await server.call("owner", "POST", `${doc}/markdown`, { texts });
    expect(status).toBe(400);
  });

  test("texts for callers who cannot open the document, and for end users", async () => {
    const hidden = await server.call("stranger", "POST", `${doc}/markdown`, { texts: ["a"] });
    expect(hidden.status).toBe(403);
    const token = await createToken(server, doc, { role: "viewers" });
    const { body } = await callWithToken(server, token, ["POST", `${doc}/markdown`, { texts: ["a"] }]);
    expect(body).toMatchObject({ details: { code: "access.token_denied" } });
  });
});
