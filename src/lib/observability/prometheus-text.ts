import { BUCKET_BOUNDS_SECONDS, type Histogram } from "./measurements.ts";

export type Labels = Readonly<Record<string, string | number>>;

/** One sample of a metric, with labels if it has several. */
export interface Sample {
  readonly labels?: Labels;
  readonly value: number | Histogram;
}

/** A metric: samples with the same name. */
export interface Metric {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** A sentence. */
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** The media type of the text format; clients check its version. */
export const PROMETHEUS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Formats metrics in the Prometheus text format, version 0.0.4. Metrics without samples are omitted. */
export function prometheusText(metrics: Iterable<Metric>): string {
  let text = "";
  for (const { name, type, help, samples } of metrics) {
    if (samples.length === 0) continue;
    text += `# HELP ${name} ${escapeText(help)}\n# TYPE ${name} ${type}\n`;
    for (const { labels = {}, value } of samples) {
      if (typeof value === "number") text += `${name}${labelText(labels)} ${numberText(value)}\n`;
      else text += histogramText(name, labels, value);
    }
  }
  return text;
}

/** Buckets are cumulative; the last one counts all. */
function histogramText(name: string, labels: Labels, { counts, sumSeconds }: Histogram): string {
  let text = "";
  let cumulativeCount = 0;
  for (const [bucket, count] of counts.entries()) {
    cumulativeCount += count;
    text += `${name}_bucket${labelText({ ...labels, le: numberText(BUCKET_BOUNDS_SECONDS[bucket] ?? Infinity) })} ${cumulativeCount}\n`;
  }
  const labelSuffix = labelText(labels);
  return `${text}${name}_sum${labelSuffix} ${numberText(sumSeconds)}\n${name}_count${labelSuffix} ${cumulativeCount}\n`;
}

function labelText(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(String(value))}"`);
  return parts.length === 0 ? "" : `{${parts.join(",")}}`;
}

const escapeText = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
const escapeLabel = (text: string): string => escapeText(text).replaceAll('"', '\\"');

/** In Go's number syntax. */
function numberText(value: number): string {
  if (value === Infinity) return "+Inf";
  return value === -Infinity ? "-Inf" : String(value);
}
