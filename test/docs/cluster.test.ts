/** The examples of load balancers in docs/cluster.md, run by the programs they are for. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { METRICS } from "../../src/services/administration/metrics.ts";
import { settingList } from "../../src/config.ts";
import { freePort } from "../../scripts/free-port.ts";
import { expectPoll } from "../helpers/expect-poll.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

const text = await Bun.file(join(import.meta.dir, "../../docs/cluster.md")).text();

/** Returns the code block of a language. */
function example(language: string): string {
  const [, code] = new RegExp(`^\`\`\`${language}[^\n]*\n(.*?)^\`\`\``, "ms").exec(text) ?? [];
  if (code === undefined) throw new Error(`no example of ${language}`);
  return code;
}

/** Servers in place of nodes. Each answers with its number, and with 503 to health checks once it is not ready. */
class Nodes implements Disposable {
  readonly isReady = [true, true, true];
  readonly #servers = this.isReady.map((_, number) =>
    Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url, headers }) => {
        const { pathname, search } = new URL(url);
        const isCheck = pathname === "/status" && search === "?ready=1";
        return new Response(isCheck ? "" : JSON.stringify({ number, headers: Object.fromEntries(headers) }), {
          status: isCheck && this.isReady[number] !== true ? 503 : 200,
        });
      },
    }),
  );

  /** Replaces the addresses of the example by those of the servers. */
  in(config: string): string {
    return this.#servers.reduce(
      (replaced, { port }, index) => replaced.replaceAll(`10.0.0.${index + 1}:8080`, `127.0.0.1:${port}`),
      config,
    );
  }

  [Symbol.dispose](): void {
    for (const server of this.#servers) void server.stop(true);
  }
}

const PROGRAMS: Record<string, (port: number, nodes: Nodes, folder: string) => Promise<string[]>> = {
  async haproxy(port, nodes, folder) {
    const file = join(folder, "haproxy.cfg");
    await Bun.write(file, nodes.in(example("haproxy")).replace(/^    bind .*$/m, `    bind 127.0.0.1:${port}`));
    return ["haproxy", "-db", "-f", file];
  },
  async caddy(port, nodes, folder) {
    const file = join(folder, "Caddyfile");
    const config = nodes.in(example("caddyfile")).replace("docs.example.org {", `http://127.0.0.1:${port} {`);
    await Bun.write(file, `{\n\tadmin off\n\tstorage file_system ${folder}\n}\n${config}`);
    return ["caddy", "run", "--config", file, "--adapter", "caddyfile"];
  },
};

describe.each(Object.keys(PROGRAMS))("the example of %s", (program) => {
  test.skipIf(Bun.which(program) === null)(
    `sends all requests about a document to one node, and away from one that is not ready${Bun.which(program) === null ? ` (skipped: ${program} is not installed)` : ""}`,
    async () => {
      using nodes = new Nodes();
      const folder = tempFolder();
      const port = freePort();
      const command = (await PROGRAMS[program]?.(port, nodes, folder)) ?? [];
      const output = Bun.file(join(folder, "output"));
      const child = Bun.spawn(command, { stdout: output, stderr: output, env: { ...process.env, HOME: folder } });
      try {
        const get = (path: string, headers: Record<string, string> = {}) =>
          fetch(`http://127.0.0.1:${port}${path}`, { headers });
        const nodeOf = async (path: string) =>
          ((await (await get(path)).json()) as { number: number; headers: Record<string, string> }).number;
        await expectPoll(() =>
          get("/status").then(
            ({ status }) => status,
            () => 0,
          ),
        ).toBe(200);
        const docs = Array.from({ length: 30 }, (_, i) => `0f6d1c34-0000-4000-8000-${String(i).padStart(12, "0")}`);
        const owners = new Map<string, number>();
        for (const doc of docs) {
          const paths = [
            `/api/docs/${doc}`,
            `/o/team/api/docs/${doc}/tables/A/records?sort=B`,
            `/docs/${doc}/sql`,
            `/o/team/docs/${doc}`,
          ];
          const found = new Set(await Promise.all(paths.map(nodeOf)));
          expect([doc, found.size]).toEqual([doc, 1]);
          owners.set(doc, await nodeOf(`/docs/${doc}`));
        }
        expect(new Set(owners.values())).toEqual(new Set([0, 1, 2]));
        nodes.isReady[1] = false;
        const usedNodes = async () => new Set(await Promise.all(docs.map((doc) => nodeOf(`/api/docs/${doc}`))));
        await expectPoll(async () => (await usedNodes()).has(1)).toBe(false);
        // Documents of the other nodes stay where they are.
        for (const [doc, owner] of owners)
          if (owner !== 1) expect([doc, await nodeOf(`/docs/${doc}`)]).toEqual([doc, owner]);
        for (const path of ["/metrics", "/o/team/metrics", "/cluster/open"]) expect((await get(path)).status).toBe(404);
        const forged = await get("/api/orgs", { "X-Forwarded-For": "1.2.3.4", "X-Forwarded-Host": "evil.example" });
        const { headers } = (await forged.json()) as { headers: Record<string, string> };
        expect(headers["x-forwarded-for"]).toBe("127.0.0.1");
        expect(headers["x-forwarded-host"] ?? "").not.toContain("evil");
      } catch (error) {
        throw new Error(`${String(error)}\n${await output.text()}`, { cause: error });
      } finally {
        child.kill("SIGKILL");
        await child.exited;
      }
    },
    60_000,
  );
});

test("docs/cluster.md names existing settings and metrics", () => {
  const settings = new Set<string>(settingList().map(({ env }) => env));
  expect((text.match(/\bQUERN_[A-Z0-9_]+\b/g) ?? []).filter((name) => !settings.has(name))).toEqual([]);
  expect((text.match(/\bquern_[a-z_]+\b/g) ?? []).filter((name) => !(name in METRICS))).toEqual([]);
});
