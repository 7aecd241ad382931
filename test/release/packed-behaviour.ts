/** What packed packages do, as values: run from the sources and, by packed-program.ts, in an executable. */
import type { ClientConfig } from "pg";
import type * as Re2 from "re2js";
import type * as Yaml from "yaml";

/** Loads packages as the program does: with `import()`, or with `require()` in code that is synchronous. */
export const BEHAVIOUR: Readonly<Record<string, () => Promise<unknown>>> = {
  "@simplewebauthn/server": async () => {
    await import("reflect-metadata");
    const { generateRegistrationOptions } = await import("@simplewebauthn/server");
    return generateRegistrationOptions({
      rpName: "Quern",
      rpID: "quern.example",
      userName: "ann",
      userID: new Uint8Array([1, 2, 3]),
      challenge: new Uint8Array([4, 5, 6]),
    });
  },
  "markdown-it": async () => {
    const { default: MarkdownParser } = await import("markdown-it");
    return new MarkdownParser({ linkify: true }).render("# Ünder **it**\n\nhttps://quern.example &amp; <b>");
  },
  nodemailer: async () => {
    const { createTransport } = await import("nodemailer");
    const transport = createTransport({ streamTransport: true, buffer: true });
    const { message } = await transport.sendMail({
      from: "a@quern.example",
      to: "ÿ <b@quern.example>",
      subject: "Grüße",
      text: "Hello",
      messageId: "1@quern.example",
      date: new Date(0),
      attachments: [{ filename: "table.xlsx", content: "1" }],
    });
    // Boundaries of parts are random.
    return (Buffer.isBuffer(message) ? message.toString() : "").replaceAll(/--_NmP-[\w-]+/g, "--");
  },
  "openid-client": async () => {
    const { calculatePKCECodeChallenge, ClientError } = await import("openid-client");
    return [await calculatePKCECodeChallenge("verifier"), new ClientError("refused").message];
  },
  pg: async () => {
    const { Client } = await import("pg");
    const client = new Client({ host: "none", port: 1, user: "ann", password: "", database: "home" } as ClientConfig);
    return [Object.keys(client).length];
  },
  re2js: () => {
    const { RE2JS } = require("re2js") as typeof Re2;
    return Promise.resolve([RE2JS.compile("(b+)c").matcher("abbc").find(), RE2JS.quote("a.b")]);
  },
  scimmy: async () => {
    const { default: library } = await import("scimmy");
    return JSON.stringify(library.Config.get()) + Object.keys(library.Schemas).join();
  },
  yaml: () => {
    const { parseDocument, stringify } = require("yaml") as typeof Yaml;
    return Promise.resolve([parseDocument("a: [1, &x 2, *x] # note").toJS(), stringify({ "b: c": ["ü", null] })]);
  },
};

/** Returns what each package does, as JSON. */
export async function describeBehaviour(): Promise<string> {
  const described = Object.entries(BEHAVIOUR).map(async ([name, run]) => [name, await run()] as const);
  return JSON.stringify(Object.fromEntries(await Promise.all(described)));
}
