/** Address lists, contacts and members. */
import { afterAll, beforeAll, test } from "bun:test";
import { type Shape, ShapeServer } from "./shape.ts";

let server: ShapeServer;
beforeAll(async () => {
  server = await ShapeServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

const SHAPES: readonly Shape[] = [
  {
    name: "German addresses: postcodes with leading zeros, telephone numbers with a plus, umlauts in Windows-1252",
    file: "Adressen.csv",
    language: "de-DE",
    encoding: "windows-1252",
    content: [
      "Anrede;Vorname;Nachname;Straße;PLZ;Ort;Telefon;Geburtstag",
      "Frau;Änne;Öztürk;Königsstraße 5;01067;Dresden;+49 351 123456;5.3.1975",
      "Herr;Jörg;Groß;Am Markt 1;10115;Berlin;030/1234567;24.12.1968",
    ],
    columns: [
      ["Anrede", "Text", ["Frau", "Herr"]],
      ["Vorname", "Text", ["Änne", "Jörg"]],
      ["Nachname", "Text", ["Öztürk", "Groß"]],
      ["Straße", "Text", ["Königsstraße 5", "Am Markt 1"]],
      ["PLZ", "Text", ["01067", "10115"]],
      ["Ort", "Text", ["Dresden", "Berlin"]],
      ["Telefon", "Text", ["+49 351 123456", "030/1234567"]],
      ["Geburtstag", "Date", ["1975-03-05", "1968-12-24"], { dateFormat: "D.M.YYYY" }],
    ],
  },
  {
    name: "British addresses: line breaks and quotes in cells, commas within quotes",
    file: "members.csv",
    language: "en-GB",
    content: [
      "Member No,Name,Address,Postcode,Joined,Phone",
      '1001,"Smith, John ""Jack""","1 High Street\r\nLittle Hampton\r\nKent",ME1 2AB,03/04/2021,07700 900123',
      '1002,Zoë O\'Brien,"Flat 2, 5 Mill Lane",SW1A 1AA,28/02/2022,07700 900456',
    ],
    columns: [
      ["Member No", "Numeric", [1001, 1002]],
      ["Name", "Text", ['Smith, John "Jack"', "Zoë O'Brien"]],
      ["Address", "Text", ["1 High Street\r\nLittle Hampton\r\nKent", "Flat 2, 5 Mill Lane"]],
      ["Postcode", "Text", ["ME1 2AB", "SW1A 1AA"]],
      ["Joined", "Date", ["2021-04-03", "2022-02-28"], { dateFormat: "DD/MM/YYYY" }],
      ["Phone", "Text", ["07700 900123", "07700 900456"]],
    ],
  },
  {
    name: "American addresses: codes with leading zeros, telephone numbers in brackets, birthdays without proof",
    file: "customers.csv",
    content: [
      "First Name,Last Name,State,ZIP,Phone,Birthday,Opted In",
      "Mary,Jones,MA,02134,(617) 555-0123,3/4/1980,TRUE",
      "Al,Li,NY,10001,(212) 555-0199,11/12/1975,FALSE",
    ],
    columns: [
      ["First Name", "Text", ["Mary", "Al"]],
      ["Last Name", "Text", ["Jones", "Li"]],
      ["State", "Text", ["MA", "NY"]],
      ["ZIP", "Text", ["02134", "10001"]],
      ["Phone", "Text", ["(617) 555-0123", "(212) 555-0199"]],
      ["Birthday", "Date", ["1980-03-04", "1975-11-12"], { dateFormat: "M/D/YYYY" }],
      ["Opted In", "Bool", [true, false]],
    ],
    ambiguous: ["Birthday"],
  },
  {
    name: "Outlook as Unicode text: UTF-16 with tabs, dates that are none",
    file: "Kontakte.txt",
    language: "de-DE",
    encoding: "utf-16le with mark",
    content: [
      '"Anrede"\t"Vorname"\t"Nachname"\t"Firma"\t"Mobiltelefon"\t"E-Mail-Adresse"\t"Geburtstag"',
      '""\t"Łukasz"\t"Żak"\t"日本 GmbH"\t"+48 600 100 200"\t"lukasz@example.com"\t"0.0.00"',
      '"Dr."\t"Ute"\t"Weiß"\t""\t""\t"ute@example.com"\t"0.0.00"',
    ],
    columns: [
      ["Anrede", "Text", ["", "Dr."]],
      ["Vorname", "Text", ["Łukasz", "Ute"]],
      ["Nachname", "Text", ["Żak", "Weiß"]],
      ["Firma", "Text", ["日本 GmbH", ""]],
      ["Mobiltelefon", "Text", ["+48 600 100 200", ""]],
      ["E-Mail-Adresse", "Text", ["lukasz@example.com", "ute@example.com"]],
      ["Geburtstag", "Text", ["0.0.00", "0.0.00"]],
    ],
    notes: { encoding: "utf-16le", delimiter: "\t" },
  },
  {
    name: "LinkedIn connections: a paragraph in quotes above the table",
    file: "Connections.csv",
    content: [
      "Notes:",
      '"When exporting your connection data, you may notice that some of the email addresses are missing. You will only see email addresses for connections who have allowed their connections to see or download their email address."',
      "",
      "First Name,Last Name,URL,Email Address,Company,Position,Connected On",
      'Ada,Lovelace,https://www.linkedin.com/in/ada,,"Engines, Ltd.",Analyst,31 Jan 2024',
      "Bob,Ross,https://www.linkedin.com/in/bob,bob@example.com,Paint,Artist,05 Feb 2023",
    ],
    columns: [
      ["First Name", "Text", ["Ada", "Bob"]],
      ["Last Name", "Text", ["Lovelace", "Ross"]],
      ["URL", "Text", ["https://www.linkedin.com/in/ada", "https://www.linkedin.com/in/bob"]],
      ["Email Address", "Text", ["", "bob@example.com"]],
      ["Company", "Text", ["Engines, Ltd.", "Paint"]],
      ["Position", "Text", ["Analyst", "Artist"]],
      ["Connected On", "Date", ["2024-01-31", "2023-02-05"], { dateFormat: "DD MMM YYYY" }],
    ],
    dropped: 2,
    blankLines: 1,
  },
  {
    name: "Google contacts: several numbers in a cell, days without a year, columns without values",
    file: "contacts.csv",
    content: [
      "First Name,Last Name,Birthday,Notes,Group Membership,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Value",
      "Ada,Lovelace, --12-10,,* myContacts ::: Work,* ,ada@example.com,+44 20 7946 0000 ::: +44 20 7946 0001",
      "Zé,,1980-05-06,,* myContacts,,,030 123",
    ],
    columns: [
      ["First Name", "Text", ["Ada", "Zé"]],
      ["Last Name", "Text", ["Lovelace", ""]],
      ["Birthday", "Text", [" --12-10", "1980-05-06"]],
      ["Notes", "Any", [null, null]],
      ["Group Membership", "Text", ["* myContacts ::: Work", "* myContacts"]],
      ["E-mail 1 - Label", "Text", ["* ", ""]],
      ["E-mail 1 - Value", "Text", ["ada@example.com", ""]],
      ["Phone 1 - Value", "Text", ["+44 20 7946 0000 ::: +44 20 7946 0001", "030 123"]],
    ],
  },
  {
    name: "no header: an e-mail address and a day in the first line",
    file: "newsletter.csv",
    language: "fr-FR",
    content: ["ada@example.com;Ada;12/05/2023", "bob@example.com;Bob;28/06/2023", "eve@example.com;Ève;01/07/2023"],
    columns: [
      ["A", "Text", ["ada@example.com", "bob@example.com", "eve@example.com"]],
      ["B", "Text", ["Ada", "Bob", "Ève"]],
      ["C", "Date", ["2023-05-12", "2023-06-28", "2023-07-01"], { dateFormat: "DD/MM/YYYY" }],
    ],
    notes: { header: 0 },
  },
  {
    name: "a list of an old Mac: carriage returns between lines, bars between cells",
    file: "club.dsv",
    language: "en-GB",
    content: 'Nr|Name|Since|Fee\r1|Ann, Bo & Co|1998|12.50\r2|Say "Hi"|2003|7.00\r',
    columns: [
      ["Nr", "Numeric", [1, 2]],
      ["Name", "Text", ["Ann, Bo & Co", 'Say "Hi"']],
      ["Since", "Numeric", [1998, 2003], {}],
      ["Fee", "Numeric", [12.5, 7], { decimals: 2 }],
    ],
    notes: { delimiter: "|" },
  },
  {
    name: "Swiss addresses: postcodes of four digits, marked texts, lines of delimiters only at the end",
    file: "Mitglieder.csv",
    language: "de-CH",
    content: [
      "Nr;Name;PLZ;Ort;Telefon;Eintritt;Beitrag",
      '="00017";Rüegg;8001;Zürich;="0791234567";1. März 2019;50.00',
      '="00018";Favre;1200;Genève;="0227654321";15. Okt. 2021;50.00',
      ";;;;;;",
      ";;;;;;",
    ],
    columns: [
      ["Nr", "Text", ["00017", "00018"]],
      ["Name", "Text", ["Rüegg", "Favre"]],
      ["PLZ", "Numeric", [8001, 1200], {}],
      ["Ort", "Text", ["Zürich", "Genève"]],
      ["Telefon", "Text", ["0791234567", "0227654321"]],
      ["Eintritt", "Date", ["2019-03-01", "2021-10-15"], { dateFormat: "DD.MM.YYYY" }],
      ["Beitrag", "Numeric", [50, 50], { decimals: 2 }],
    ],
    blankLines: 2,
  },
  {
    name: "Italian members: VERO and FALSO, names of months, debts with a minus of typography",
    file: "soci.csv",
    language: "it-IT",
    content: [
      "Cognome;Nome;Iscritto;Attivo;Saldo",
      "D'Angelo;Niccolò;3 marzo 2020;VERO;\u22121.250,00",
      "Rossi;Maria;12 ottobre 2018;FALSO;30,50",
    ],
    columns: [
      ["Cognome", "Text", ["D'Angelo", "Rossi"]],
      ["Nome", "Text", ["Niccolò", "Maria"]],
      ["Iscritto", "Date", ["2020-03-03", "2018-10-12"], { dateFormat: "DD/MM/YYYY" }],
      ["Attivo", "Bool", [true, false]],
      ["Saldo", "Numeric", [-1250, 30.5], { numMode: "decimal", decimals: 2 }],
    ],
    locale: "it-IT",
  },
];

test.each(SHAPES)("$name", (shape) => server.check(shape));
