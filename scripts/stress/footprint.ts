import { anonymousMb } from "../bench/bench.ts";
import { createStressSite } from "./stress-site.ts";
import type { Outcome, StressTest } from "./stress-test.ts";

const DOCUMENTS = 50;
const ROWS = 50;
const MAX_OPEN_MB = 120;
const MAX_ABOVE_IDLE_MB = 20;
/** Idle time after which documents are closed. */
const CLOSE_AFTER_MS = 2000;
/** Duration of sampling memory after opening documents: shorter than that. */
const SAMPLE_DURATION_MS = 1500;
/** Time limit of closing all documents on a loaded machine, and the time in which their memory is released. */
const CLOSE_TIMEOUT_MS = 30_000;
const RELEASE_MS = 3500;

export interface Footprint {
  /** Before any document was opened. */
  readonly idleMb: number;
  /** With all documents open: the peak, and the final value. */
  readonly peakMb: number;
  readonly openMb: number;
  /** After closing them. */
  readonly closedMb: number;
  readonly isClosed: boolean;
}

/** Memory of the server with many small documents open, and after they were closed for inactivity. */
export const footprint: StressTest = {
  name: "footprint",
  async run(): Promise<Outcome> {
    const { idleMb, peakMb, openMb, closedMb, isClosed } = await measureFootprint();
    const mb = (value: number) => `${value.toFixed(1)} MB`;
    const exceeded: string[] = [];
    if (openMb > MAX_OPEN_MB) exceeded.push(`${mb(openMb)} with ${DOCUMENTS} documents open, more than ${MAX_OPEN_MB}`);
    if (closedMb > idleMb + MAX_ABOVE_IDLE_MB) {
      exceeded.push(`${mb(closedMb)} after closing them, more than ${MAX_ABOVE_IDLE_MB} above ${mb(idleMb)}`);
    }
    const open = `${mb(openMb)} with ${DOCUMENTS} small documents open (peak ${mb(peakMb)})`;
    const problems = isClosed ? [] : ["unused documents are still open"];
    return { figures: `idle ${mb(idleMb)}, ${open}, ${mb(closedMb)} after closing them`, problems, exceeded };
  },
};

export async function measureFootprint(): Promise<Footprint> {
  await using site = await createStressSite();
  const documents: string[] = [];
  for (let i = 0; i < DOCUMENTS; i++) documents.push(await site.makeDocument(ROWS));
  await site.restart({ settings: { QUERN_DOC_IDLE_MS: String(CLOSE_AFTER_MS) } });
  const { api, server } = site;
  await api.send("GET", "/orgs");
  await Bun.sleep(SAMPLE_DURATION_MS);
  const idleMb = await anonymousMb(server.pid);
  const seen: number[] = [];
  const sample = async () => void seen.push(await anonymousMb(server.pid));
  const sampling = setInterval(() => void sample(), 20);
  for (const document of documents) {
    const path = `/docs/${document}/tables/Big/records`;
    await api.send("GET", `${path}?limit=100`);
    await api.send("PATCH", path, { records: [{ id: 1, fields: { Qty: 1 } }] });
  }
  await Bun.sleep(SAMPLE_DURATION_MS);
  const openMb = await anonymousMb(server.pid);
  clearInterval(sampling);
  await Bun.sleep(CLOSE_AFTER_MS);
  const areClosed = () => [...new Bun.Glob("docs/*/*-wal").scanSync({ cwd: site.data })].length === 0;
  const closeBy = performance.now() + CLOSE_TIMEOUT_MS;
  while (!areClosed() && performance.now() < closeBy) await Bun.sleep(100);
  const isClosed = areClosed();
  await Bun.sleep(RELEASE_MS);
  return { idleMb, peakMb: Math.max(...seen), openMb, closedMb: await anonymousMb(server.pid), isClosed };
}
