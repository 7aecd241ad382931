import { anonymousMb, drain, type Bench, type Benchmark } from "../bench.ts";

/** Memory while a whole table is read: it must not grow with the table. */
export const largeFetch: Benchmark = {
  name: "large-fetch",
  async run(bench) {
    const small = await peakMb(bench, 100_000);
    const large = await peakMb(bench, 1_000_000);
    return [
      {
        name: `peak memory, 1,000,000 rows (${large.answerMb.toFixed(0)} MB), to 100,000`,
        value: large.peakMb,
        unit: "MB",
        baseline: small.peakMb,
        // For ten times the rows; the amount of garbage differs from run to run.
        target: { max: 2 },
      },
    ];
  },
};

async function peakMb(bench: Bench, rows: number): Promise<{ peakMb: number; answerMb: number }> {
  const document = await bench.documentOf(rows);
  await using server = await bench.serve();
  let peak = 0;
  const look = async () => {
    peak = Math.max(peak, await anonymousMb(server.pid));
  };
  const looking = setInterval(() => void look(), 10);
  const answered = await drain(
    await fetch(`${server.address}${document}/tables/Big/records`, { headers: bench.headers }),
  );
  clearInterval(looking);
  return { peakMb: peak, answerMb: answered / 1e6 };
}
