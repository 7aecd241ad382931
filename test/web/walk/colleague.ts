/** Changes of another person during the walk. */
import type { Random } from "../../helpers/random.ts";
import { HOSTILE_NAME } from "../hostile.ts";
import type { WalkSample } from "./sample.ts";

type Change = (sample: WalkSample, random: Random) => Promise<string>;

const orders = ({ docId }: WalkSample): string => `/docs/${docId}/tables/Orders`;

/** Returns the id of a random order; undefined if there is none. */
async function anyOrder(sample: WalkSample, random: Random): Promise<number | undefined> {
  const path = `${orders(sample)}/records?limit=40`;
  const { records } = await sample.colleague<{ records: { id: number }[] }>("GET", path);
  return random.pickAny(records)?.id;
}

const CHANGES: readonly Change[] = [
  async (sample, random) => {
    const id = await anyOrder(sample, random);
    const fields = { Quantity: random.below(5), Status: random.pick(["New", "Shipped", HOSTILE_NAME]) };
    if (id !== undefined) await sample.colleague("PATCH", `${orders(sample)}/records`, { records: [{ id, fields }] });
    return `changes row ${id}`;
  },
  async (sample, random) => {
    const records = [{ fields: { Order_no: `new ${random.below(100)}`, Customer: 1 } }];
    await sample.colleague("POST", `${orders(sample)}/records`, { records });
    return "adds a row";
  },
  async (sample, random) => {
    const id = await anyOrder(sample, random);
    if (id !== undefined) await sample.colleague("POST", `${orders(sample)}/data/delete`, [id]);
    return `deletes row ${id}`;
  },
  async (sample, random) => {
    const label = random.pick(["Remark", HOSTILE_NAME, "Order no"]);
    await sample.colleague("POST", `${orders(sample)}/columns`, { columns: [{ fields: { label, type: "Text" } }] });
    return `adds a column “${label}”`;
  },
  async (sample, random) => {
    const label = random.pick(["Number", "Order no", "W".repeat(100)]);
    const columns = [{ id: "Order_no", fields: { label } }];
    await sample.colleague("PATCH", `${orders(sample)}/columns`, { columns });
    return `renames a column to “${label}”`;
  },
];

/** Makes a random change and returns its description. Nothing happens if the document no longer allows it. */
export async function changeAsColleague(sample: WalkSample, random: Random): Promise<string> {
  const change = random.pick(CHANGES);
  try {
    return await change(sample, random);
  } catch (error) {
    return `cannot change the document: ${String(error).slice(0, 100)}`;
  }
}
