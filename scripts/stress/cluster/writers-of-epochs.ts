/**
 * Records which process appended rows of which epoch: by a trigger in PostgreSQL, independent of what nodes say about
 * themselves. The name of a process's connections identifies it.
 */
import type { ClusterSite } from "../../cluster/cluster-site.ts";

const STATEMENTS = [
  "create schema proof",
  "create table proof.writer (doc text, epoch bigint, process text, primary key (doc, epoch, process))",
  `create function proof.note_writer() returns trigger language plpgsql security definer as $$
   begin
     insert into proof.writer values (new.doc, new.epoch, current_setting('application_name')) on conflict do nothing;
     return null;
   end $$`,
  `create trigger note_writer after insert on quern.doc_log
   for each row execute function proof.note_writer()`,
];

export async function recordWritersOfEpochs({ query }: Pick<ClusterSite, "query">): Promise<void> {
  for (const statement of STATEMENTS) await query(statement);
}

export interface EpochsFound {
  readonly epochs: number;
  readonly problems: readonly string[];
}

/** Every epoch of a document has one writer, and epochs only rise along the log. */
export async function checkWritersOfEpochs({ query }: Pick<ClusterSite, "query">): Promise<EpochsFound> {
  const [all] = await query<{ epochs: number }>("select count(distinct (doc, epoch))::int as epochs from proof.writer");
  const shared = await query<{ doc: string; epoch: string; writers: string }>(
    `select doc, epoch, string_agg(process, ', ') as writers from proof.writer
     group by doc, epoch having count(*) > 1`,
  );
  const falling = await query<{ doc: string; seq: string }>(
    `select doc, seq from (
       select doc, seq, epoch, lag(epoch) over (partition by doc order by seq) as former from quern.doc_log) as row
     where epoch < former`,
  );
  const ahead = await query<{ doc: string }>(
    `select o.doc from quern.doc_owner o
     where exists (select 1 from quern.doc_log l where l.doc = o.doc and (l.epoch > o.epoch or l.seq > o.head))`,
  );
  return {
    epochs: all?.epochs ?? 0,
    problems: [
      ...shared.map(({ doc, epoch, writers }) => `epoch ${epoch} of ${doc} has several writers: ${writers}`),
      ...falling.map(({ doc, seq }) => `the epoch falls at row ${seq} of ${doc}`),
      ...ahead.map(({ doc }) => `the log of ${doc} has rows beyond its head or epoch`),
    ],
  };
}
