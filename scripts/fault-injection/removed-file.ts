import { rename } from "node:fs/promises";
import { join } from "node:path";
import { type Fault, Findings, until } from "./fault.ts";
import { startFaultServer, VerifyingWriter } from "./fault-server.ts";

const GONE = /storage\.damaged/;

/** A document's file is removed, both while it is open and while it is closed, and restored. */
export const removedFile: Fault = {
  name: "removed-file",
  async run({ isQuick }) {
    await using faultServer = await startFaultServer();
    const findings = new Findings();
    const own = new VerifyingWriter(faultServer, faultServer.own, "own");
    const other = new VerifyingWriter(faultServer, faultServer.other, "other");
    const folder = join(faultServer.data, "docs", faultServer.own);
    const rounds = isQuick ? 2 : 20;
    for (let round = 0; round < rounds; round++) {
      findings.expectAnswer("writing", await own.add(), [200]);
      await rename(folder, `${folder}-away`);
      // Writes acknowledged now would be lost with the file.
      findings.expectAnswer("writing without a file", await own.add(), [500, GONE]);
      const read = await faultServer.request("GET", `/docs/${faultServer.own}/tables/Items/records`);
      findings.expectAnswer("reading without a file", read, [500, GONE]);
      findings.expectAnswer("another document", await other.add(), [200]);
      await rename(`${folder}-away`, folder);
      const back = await until(async () => (await own.add()).status === 200, 5000);
      findings.expect(back !== undefined, "the document does not recover when its file is restored");
    }
    for (const writer of [own, other]) await writer.verify(findings);
    await faultServer.check(findings);
    const figures = `${rounds} times gone, ${own.acknowledged.size} requests acknowledged and ${own.refused.size} refused`;
    return { figures, problems: findings.problems };
  },
};
