import { expect, test } from "bun:test";
import { BUCKET_BOUNDS_SECONDS, emptyHistogram, observe } from "../../../src/lib/observability/measurements.ts";
import { prometheusText } from "../../../src/lib/observability/prometheus-text.ts";

test("formats samples with and without labels, escaped", () => {
  const text = prometheusText([
    { name: "a_total", type: "counter", help: "A \\ and\na line.", samples: [{ value: 3 }] },
    {
      name: "b",
      type: "gauge",
      help: 'Says "b".',
      samples: [
        { labels: { path: 'a"b\\c\nd', n: 1 }, value: 0.5 },
        { labels: { path: "" }, value: -Infinity },
        { value: Infinity },
        { value: NaN },
        { value: 1e21 },
      ],
    },
    { name: "none", type: "gauge", help: "Nothing.", samples: [] },
  ]);
  expect(text).toBe(
    [
      "# HELP a_total A \\\\ and\\na line.",
      "# TYPE a_total counter",
      "a_total 3",
      '# HELP b Says "b".',
      "# TYPE b gauge",
      'b{path="a\\"b\\\\c\\nd",n="1"} 0.5',
      'b{path=""} -Inf',
      "b +Inf",
      "b NaN",
      "b 1e+21",
      "",
    ].join("\n"),
  );
});

test("histogram buckets are cumulative, and the last one counts all", () => {
  const value = emptyHistogram();
  for (const seconds of [0.00005, 0.75, 0.75, 100]) observe(value, seconds);
  const text = prometheusText([{ name: "h", type: "histogram", help: "H.", samples: [{ labels: { a: "b" }, value }] }]);
  const lines = text.trimEnd().split("\n").slice(2);
  const upTo = (bound: number) => (bound < 1 ? 1 : 3);
  expect(lines).toEqual([
    ...BUCKET_BOUNDS_SECONDS.map((bound) => `h_bucket{a="b",le="${bound}"} ${upTo(bound)}`),
    'h_bucket{a="b",le="+Inf"} 4',
    'h_sum{a="b"} 101.50005',
    'h_count{a="b"} 4',
  ]);
});
