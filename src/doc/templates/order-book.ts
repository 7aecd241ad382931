import {
  byId,
  choiceColumn,
  COLOURS,
  countColumn,
  dateColumn,
  type DayOf,
  moneyColumn,
  type Template,
  type TemplateRow,
  textColumn,
} from "./template.ts";

/** Customers, products and their orders. */
export const orderBook: Template = {
  tables: {
    Orders: {
      id: "Orders",
      columns: byId(
        textColumn("Order_no", {
          label: "Order no",
          trigger: { formula: 'f"{TODAY().year}-{$id:04}"', when: "newRecords" },
        }),
        { id: "Customer", type: "Ref:Customers", show: "Name" },
        { id: "Product", type: "Ref:Products", show: "Product" },
        { id: "Quantity", type: "Int" },
        moneyColumn("Price", {
          description: "The price of the product on the day of the order.",
          trigger: { formula: "$Product.Price", when: "newRecords", columns: ["Product"] },
        }),
        moneyColumn("Total", { formula: "$Quantity * $Price" }),
        dateColumn("Ordered", { trigger: { formula: "TODAY()", when: "newRecords" } }),
        choiceColumn("Status", {
          New: "blue",
          "In progress": "amber",
          Shipped: "violet",
          Paid: "green",
          Cancelled: "grey",
        }),
        textColumn("Notes"),
      ),
    },
    Customers: {
      id: "Customers",
      columns: byId(
        textColumn("Name"),
        textColumn("City"),
        textColumn("Email"),
        choiceColumn("Kind", { Company: "teal", Private: "orange" }),
        countColumn("Orders", "len(Orders.lookupRecords(Customer=$id))"),
        moneyColumn("Revenue", {
          description: "The total of all orders that were not cancelled.",
          formula: 'SUM(o.Total for o in Orders.lookupRecords(Customer=$id) if o.Status != "Cancelled")',
        }),
      ),
    },
    Products: {
      id: "Products",
      columns: byId(
        textColumn("Product"),
        choiceColumn("Category", { Bikes: "blue", Parts: "teal", Accessories: "violet", Service: "amber" }),
        moneyColumn("Price"),
        { id: "Stock", type: "Int" },
        countColumn(
          "Ordered",
          'SUM(o.Quantity for o in Orders.lookupRecords(Product=$id) if o.Status in ("New", "In progress"))',
        ),
        {
          ...countColumn("Available", "$Stock - $Ordered"),
          description: "The stock without what open orders need.",
          conditionalStyles: [{ formula: "$Available < 3", style: { ...COLOURS.red, fontBold: true } }],
        },
      ),
    },
  },
  rows: (day) => ({
    Customers: CUSTOMERS.map(([Name, City, Email, Kind]) => ({ Name, City, Email, Kind })),
    Products: PRODUCTS.map(([Product, Category, Price, Stock]) => ({ Product, Category, Price, Stock })),
    Orders: ORDERS.map((order, at) => orderRow(order, at, day)),
  }),
};

const CUSTOMERS: readonly [name: string, city: string, email: string, kind: string][] = [
  ["Karin Lindqvist", "Stockholm", "karin@example.com", "Private"],
  ["Ortiz Cycling", "Lyon", "orders@ortiz.example.com", "Company"],
  ["Chloé Dubois", "Paris", "chloe@example.com", "Private"],
  ["Weber & Sons", "Berlin", "office@weber.example.com", "Company"],
  ["Mei Tanaka", "Osaka", "mei@example.com", "Private"],
  ["Harbour Rentals", "Lagos", "hello@harbour.example.com", "Company"],
];

const PRODUCTS: readonly [product: string, category: string, price: number, stock: number][] = [
  ["City bike", "Bikes", 899, 12],
  ["Touring bike", "Bikes", 1249, 6],
  ["Cargo bike", "Bikes", 3490, 3],
  ["Child seat", "Accessories", 139.9, 15],
  ["Rack bag", "Accessories", 79.5, 24],
  ["Dynamo lamp", "Parts", 64, 30],
  ["Tuning", "Service", 45, 40],
];

interface Order {
  /** Positions in the lists, from 1. */
  readonly customer: number;
  readonly product: number;
  readonly quantity: number;
  readonly status: string;
  /** Days before the creation. */
  readonly daysAgo: number;
  readonly notes?: string;
}

const order = (
  [customer, product, quantity]: readonly [number, number, number],
  status: string,
  [daysAgo, notes = ""]: readonly [number, string?],
): Order => ({ customer, product, quantity, status, daysAgo, notes });

const ORDERS: readonly Order[] = [
  order([2, 1, 4], "Paid", [41, "Delivered in two parts"]),
  order([1, 4, 1], "Paid", [38]),
  order([4, 6, 12], "Paid", [33]),
  order([3, 2, 1], "Paid", [29, "Frame size 52"]),
  order([6, 1, 3], "Shipped", [22]),
  order([2, 5, 10], "Shipped", [17]),
  order([5, 7, 1], "Cancelled", [15, "Customer moved away"]),
  order([4, 3, 2], "In progress", [9, "Call before delivery"]),
  order([6, 5, 6], "In progress", [6]),
  order([1, 6, 2], "In progress", [4]),
  order([3, 4, 1], "New", [2, "Gift: without invoice in the parcel"]),
  order([5, 2, 1], "New", [1]),
];

const orderRow = ({ customer, product, quantity, status, daysAgo, notes = "" }: Order, at: number, day: DayOf) => {
  const Ordered = day(-daysAgo);
  return {
    Order_no: `${new Date(Ordered * 1000).getUTCFullYear()}-${String(at + 1).padStart(4, "0")}`,
    Customer: customer,
    Product: product,
    Quantity: quantity,
    Price: PRODUCTS[product - 1]?.[2] ?? 0,
    Ordered,
    Status: status,
    Notes: notes,
  } satisfies TemplateRow;
};
