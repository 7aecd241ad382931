/** Which certificates of other nodes a node accepts. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createAuthority, HAS_OPENSSL } from "../../helpers/certificates.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";

const SCRIPT = join(import.meta.dir, "forward-in-turn.ts");
const NEEDED = HAS_OPENSSL ? "" : " (skipped: openssl is not installed)";
const ANSWERED = ["answered", false];
const UNTRUSTED = ["unreachable", true];

describe.skipIf(!HAS_OPENSSL)(`the certificate of another node${NEEDED}`, () => {
  test.each([
    { what: "of a known authority, for its address", expected: ANSWERED },
    { what: "of an unknown authority", isKnown: false, expected: UNTRUSTED },
    { what: "for another address", host: "127.0.0.2", expected: UNTRUSTED },
    { what: "that has expired", days: 0, expected: UNTRUSTED },
  ])("$what", async ({ isKnown = true, host = "127.0.0.1", days = 1, expected }) => {
    const folder = tempFolder();
    const { cert, key } = createAuthority(folder).issue("node", days);
    let received = 0;
    using server = Bun.serve({
      port: 0,
      hostname: "0.0.0.0",
      tls: { cert: Bun.file(cert), key: Bun.file(key) },
      fetch() {
        received++;
        return new Response("done");
      },
    });
    const child = Bun.spawn([process.execPath, SCRIPT, `https://${host}:${server.port}`], {
      env: { PATH: process.env["PATH"] ?? "", ...(isKnown && { NODE_EXTRA_CA_CERTS: join(folder, "root.crt") }) },
      stdout: "pipe",
      stderr: "inherit",
    });
    expect(JSON.parse(await child.stdout.text())).toEqual([expected, expected, expected]);
    // Nothing is sent to a server that is not trusted.
    expect(received).toBe(expected === ANSWERED ? 3 : 0);
  });
});
