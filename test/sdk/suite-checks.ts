/** What the parts of the suite share. */

export interface SuiteOptions {
  readonly url: string;
  readonly key: string;
  /** The sample document. */
  readonly doc: string;
  /** The address of the test, which restarts the server. */
  readonly control: string;
}

/** The name of each check, with what is wrong; null if it passes. */
export type SuiteResult = readonly [name: string, problem: string | null];

/** The sample document. */
export type Shop = {
  Customers: { Name: { type: "Text" }; City: { type: "Text" } };
  Items: {
    Item: { type: "Text" };
    Category: { type: "Choice"; choices: "Parts" | "Lights" | "Bags" };
    Price: { type: "Numeric" };
    Quantity: { type: "Int" };
    Files: { type: "Attachments" };
  };
  Orders: {
    Customer: { type: "Ref"; target: "Customers" };
    Item: { type: "Ref"; target: "Items" };
    Amount: { type: "Int" };
    Ordered: { type: "Date" };
    Status: { type: "Choice"; choices: "open" | "shipped" };
    Paid: { type: "Bool" };
    City: { type: "Text"; computed: true };
    Total: { type: "Numeric"; computed: true };
  };
};

/** @throws Error if two values are different as JSON */
export function equal(got: unknown, expected: unknown): void {
  const [a, b] = [JSON.stringify(got), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${a} instead of ${b}`);
}

export type Check = readonly [name: string, run: () => Promise<void>];
