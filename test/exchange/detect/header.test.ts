import { expect, test } from "bun:test";
import { detectHeader } from "../../../src/exchange/detect/header.ts";

const rows = (text: string): string[][] => text.split("\n").map((line) => line.split(";"));

const FILES: [what: string, text: string, dropped: number, hasHeader: boolean][] = [
  ["names above values", "Name;Amount\nAda;5\nBob;6", 0, true],
  ["names above texts", "Name;City\nAda;Rome\nBob;Oslo", 0, true],
  ["years as names", "Item;Unit;2023;2024\nbolt;kg;5;6", 0, true],
  ["a single row", "Name;Amount", 0, true],
  ["a single row of numbers", "1;2", 0, true],
  ["numbers from the start", "1;2\n3;4", 0, false],
  ["a text that occurs again", "open;Ada\nopen;Bob", 0, false],
  ["mostly addresses", "a@b.example;https://c.example;Name\nx;y;z", 0, false],
  ["dates from the start", "2024-01-02;2024-02-01;x\n2024-01-03;2024-02-02;y", 0, false],
  ["a title above", "Report 2024;;\nName;Amount;City\nAda;5;Rome\nBob;6;Oslo", 1, true],
  ["a title above two columns", "Report 2024;\nName;Amount\nAda;5\nBob;6", 1, true],
  [
    "notes of name and value above",
    "Account;DE1;;;\nFrom;1.1.2024;;;\nDay;Payee;Text;Amount;Unit\n1.1.;a;b;5;c\n2.1.;d;e;6;f",
    2,
    true,
  ],
  [
    "more notes than rows",
    "Account;DE1;;;\nFrom;1.1.2024;;;\nTo;2.1.2024;;;\nDay;Payee;Text;Amount;Unit\n1.1.;a;b;5;c",
    3,
    true,
  ],
  [
    "notes above columns for debit and credit",
    "Account;DE1;;;\nUnit;EUR;;;\nDay;Text;Debit;Credit;Balance\n1.1.;a;;5;5\n2.1.;b;2;;3",
    2,
    true,
  ],
  ["rows of few cells without a header", "Ada;1;;;\nBob;2;;;\nEve;x;y;z;w\nJoe;3;;;\nMax;4;;;\nTim;5;;;", 0, false],
  ["words with a delimiter below a name", "Name;\nLovelace;Ada\nTuring;Alan", 0, true],
  ["plain lines with a delimiter here and there", "First line\nSecond; line\nThird line\nFourth line", 0, true],
  ["one name for two columns", "apple;\n5;6\n7;8", 0, true],
];
test.each(FILES)("%s", (_, text, dropped, hasHeader) => {
  expect(detectHeader(rows(text))).toEqual({ dropped, hasHeader });
});

test("the request overrides detection", () => {
  const table = rows("Report\nName;Amount\nAda;5");
  expect(detectHeader(table, 0)).toEqual({ dropped: 0, hasHeader: false });
  expect(detectHeader(table, 2)).toEqual({ dropped: 1, hasHeader: true });
});
