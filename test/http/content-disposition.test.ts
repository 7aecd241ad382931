import { expect, test } from "bun:test";
import { contentDisposition } from "../../src/http/content-disposition.ts";

test.each([
  ["Sales.csv", 'attachment; filename="Sales.csv"'],
  ["My report.csv", 'attachment; filename="My report.csv"'],
  ["café.csv", 'attachment; filename="café.csv"'],
  ['a "b" \\c.csv', 'attachment; filename="a \\"b\\" \\\\c.csv"'],
  ["../../etc/passwd", 'attachment; filename="passwd"'],
  ["価格 表.csv", "attachment; filename=\"?? ?.csv\"; filename*=UTF-8''%E4%BE%A1%E6%A0%BC%20%E8%A1%A8.csv"],
  ["★(1)'*.csv", "attachment; filename=\"?(1)'*.csv\"; filename*=UTF-8''%E2%98%85%281%29%27%2A.csv"],
  ["50%20.csv", "attachment; filename=\"50%20.csv\"; filename*=UTF-8''50%2520.csv"],
  ["two\r\nlines\u0000.csv", 'attachment; filename="two  lines .csv"'],
  ["\ud800.csv", "attachment; filename=\"?.csv\"; filename*=UTF-8''%EF%BF%BD.csv"],
])("%j as a header", (name, header) => {
  expect(contentDisposition(name)).toBe(header);
  expect(() => new Headers({ "Content-Disposition": header })).not.toThrow();
});

test("inline if requested", () => expect(contentDisposition("a.png", "inline")).toBe('inline; filename="a.png"'));
