/** Exports of other databases, spreadsheets and tools. */
import { afterAll, beforeAll, test } from "bun:test";
import { type Shape, ShapeServer } from "./shape.ts";

let server: ShapeServer;
beforeAll(async () => {
  server = await ShapeServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

const SHAPES: readonly Shape[] = [
  {
    name: "Airtable: checked boxes, attachments with addresses, several choices, times with am and pm",
    file: "Grid view.csv",
    encoding: "utf-8 with mark",
    content: [
      "Name,Status,Done,Attachments,Tags,Due,Budget,Progress,Created,Assignee,Rating",
      'Launch,In progress,checked,"plan.pdf (https://v5.airtableusercontent.com/a/plan.pdf),logo.png (https://v5.airtableusercontent.com/b/logo.png)","urgent,web",1/31/2024,"$12,500.00",45%,1/5/2024 1:05pm,Ada Lovelace,5',
      "Review,Todo,,,web,2/5/2024,$0.50,100%,12/28/2023 11:30am,,3",
    ],
    columns: [
      ["Name", "Text", ["Launch", "Review"]],
      ["Status", "Text", ["In progress", "Todo"]],
      ["Done", "Text", ["checked", ""]],
      [
        "Attachments",
        "Text",
        [
          "plan.pdf (https://v5.airtableusercontent.com/a/plan.pdf),logo.png (https://v5.airtableusercontent.com/b/logo.png)",
          "",
        ],
      ],
      ["Tags", "Text", ["urgent,web", "web"]],
      ["Due", "Date", ["2024-01-31", "2024-02-05"], { dateFormat: "M/D/YYYY" }],
      ["Budget", "Numeric", [12500, 0.5], { numMode: "currency", decimals: 2 }],
      ["Progress", "Numeric", [0.45, 1], { numMode: "percent" }],
      [
        "Created",
        "DateTime:UTC",
        ["2024-01-05T13:05:00Z", "2023-12-28T11:30:00Z"],
        { dateFormat: "M/D/YYYY", timeFormat: "h:mma" },
      ],
      ["Assignee", "Text", ["Ada Lovelace", ""]],
      ["Rating", "Numeric", [5, 3]],
    ],
  },
  {
    name: "Baserow: true and false, linked rows, files with addresses, European dates",
    file: "export - Projects - Grid.csv",
    language: "de-DE",
    encoding: "utf-8 with mark",
    content: [
      "id,Name,Active,Customers,Options,Due,Amount,Created on,Files",
      '1,Web,true,"ACME,unnamed row 2","red,blue",31/01/2024,1250.50,31/01/2024 13:05,a.png (https://baserow.io/media/a.png)',
      "4,App,false,,red,02/05/2024,7.00,01/02/2024 09:00,",
    ],
    columns: [
      ["id", "Numeric", [1, 4]],
      ["Name", "Text", ["Web", "App"]],
      ["Active", "Bool", [true, false]],
      ["Customers", "Text", ["ACME,unnamed row 2", ""]],
      ["Options", "Text", ["red,blue", "red"]],
      ["Due", "Date", ["2024-01-31", "2024-05-02"], { dateFormat: "DD/MM/YYYY" }],
      ["Amount", "Numeric", [1250.5, 7], { decimals: 2 }],
      [
        "Created on",
        "DateTime:UTC",
        ["2024-01-31T13:05:00Z", "2024-02-01T09:00:00Z"],
        { dateFormat: "DD/MM/YYYY", timeFormat: "HH:mm" },
      ],
      ["Files", "Text", ["a.png (https://baserow.io/media/a.png)", ""]],
    ],
    locale: "de-CH",
  },
  {
    name: "Notion: whole names of months, Yes and No, related pages",
    file: "Tasks 1a2b3c_all.csv",
    encoding: "utf-8 with mark",
    content: [
      "Name,Done,Due,Edited,Project,Effort",
      'Write docs,Yes,"January 31, 2024","February 1, 2024 1:05 PM",Site (https://www.notion.so/Site-1a2b),1.5',
      'Ship,No,,"December 28, 2023 11:30 AM",,3',
    ],
    columns: [
      ["Name", "Text", ["Write docs", "Ship"]],
      ["Done", "Text", ["Yes", "No"]],
      ["Due", "Date", ["2024-01-31", null], { dateFormat: "MMMM DD, YYYY" }],
      [
        "Edited",
        "DateTime:UTC",
        ["2024-02-01T13:05:00Z", "2023-12-28T11:30:00Z"],
        { dateFormat: "MMMM D, YYYY", timeFormat: "h:mm A" },
      ],
      ["Project", "Text", ["Site (https://www.notion.so/Site-1a2b)", ""]],
      ["Effort", "Numeric", [1.5, 3]],
    ],
  },
  {
    name: "Google Forms: time stamps with hours from GMT, answers with semicolons, questions as names",
    file: "Survey (Responses).csv",
    content: [
      '"Timestamp","How satisfied are you, overall?","What do you use?","Anything else?"',
      '"2024/01/31 1:05:12 PM GMT+1","5","Docs;Sheets","No, thanks.\nReally!"',
      '"2024/07/01 9:30:00 AM GMT+2","3","Docs",""',
    ],
    columns: [
      ["Timestamp", "DateTime:UTC", ["2024-01-31T12:05:12Z", "2024-07-01T07:30:00Z"]],
      ["How satisfied are you, overall?", "Numeric", [5, 3]],
      ["What do you use?", "Text", ["Docs;Sheets", "Docs"]],
      ["Anything else?", "Text", ["No, thanks.\nReally!", ""]],
    ],
  },
  {
    name: "Excel in German settings: WAHR and FALSCH, #NV for missing values, brackets for less than nothing",
    file: "Umsatz.csv",
    language: "de-DE",
    encoding: "windows-1252",
    content: [
      "Kunde;Umsatz;Marge;Gewinn;Aktiv;Stand",
      "Müller;1.234.567,89 €;46,5%;(1.250,00);WAHR;31.12.2024",
      "Süß;#NV;8,0%;80,25;FALSCH;01.01.2025",
    ],
    columns: [
      ["Kunde", "Text", ["Müller", "Süß"]],
      ["Umsatz", "Numeric", [1234567.89, null], { numMode: "currency", decimals: 2 }],
      ["Marge", "Numeric", [0.465, 0.08], { numMode: "percent", decimals: 1 }],
      ["Gewinn", "Numeric", [-1250, 80.25], { numMode: "decimal", numSign: "parens", decimals: 2 }],
      ["Aktiv", "Bool", [true, false]],
      ["Stand", "Date", ["2024-12-31", "2025-01-01"]],
    ],
  },
  {
    name: "Excel in British settings: accounting formats with blanks and dashes, dates without proof",
    file: "Budget.csv",
    language: "en-GB",
    content: [
      "Item,Due,Budget,Actual,Share",
      'Hall,03/04/2024," £1,250.00 "," £1,300.50 ",40.0%',
      "Band,05/06/2024, £800.00 , £-   ,25.5%",
    ],
    columns: [
      ["Item", "Text", ["Hall", "Band"]],
      ["Due", "Date", ["2024-04-03", "2024-06-05"], { dateFormat: "DD/MM/YYYY" }],
      ["Budget", "Numeric", [1250, 800]],
      ["Actual", "Numeric", [1300.5, null]],
      ["Share", "Numeric", [0.4, 0.255], { numMode: "percent", decimals: 1 }],
    ],
    ambiguous: ["Due"],
    currency: "GBP",
  },
  {
    name: "Excel in Swiss settings: groups alone, which nothing else could be",
    file: "Inventar.csv",
    language: "de-CH",
    content: ["Artikel;Menge;Wert;Geprüft", "Stuhl;1’250;12’500.00;FALSCH", "Tisch;40;8’000.50;WAHR"],
    columns: [
      ["Artikel", "Text", ["Stuhl", "Tisch"]],
      ["Menge", "Numeric", [1250, 40], { numMode: "decimal", groupSeparator: "’" }],
      ["Wert", "Numeric", [12500, 8000.5]],
      ["Geprüft", "Bool", [false, true]],
    ],
    locale: "de-CH",
  },
  {
    name: "Excel in French settings, opened by an American: the file's own numbers and dates win over the browser",
    file: "Ventes.csv",
    language: "en-US",
    content: [
      "Région;Mois;Ventes;Évolution",
      "Île-de-France;31/01/2024;1\u00a0250,75;-12,5 %",
      "Bretagne;05/02/2024;980,00;3,0 %",
    ],
    columns: [
      ["Région", "Text", ["Île-de-France", "Bretagne"]],
      ["Mois", "Date", ["2024-01-31", "2024-02-05"], { dateFormat: "DD/MM/YYYY" }],
      ["Ventes", "Numeric", [1250.75, 980], { numMode: "decimal", decimals: 2 }],
      ["Évolution", "Numeric", [-0.125, 0.03], { numMode: "percent", decimals: 1 }],
    ],
    // The user's language is kept, with a region that writes numbers like this.
    locale: "en-ZA",
  },
  {
    name: "an Excel sheet by years, with a total line and thousands that only the delimiter tells",
    file: "Einwohner.csv",
    language: "en-US",
    content: ["Land;Hauptstadt;2022;2023", "Norden;Kiel;2.953;2.965", "Süden;Ulm;128;130", "Summe;;3.081;3.095"],
    columns: [
      ["Land", "Text", ["Norden", "Süden", "Summe"]],
      ["Hauptstadt", "Text", ["Kiel", "Ulm", ""]],
      ["2022", "Numeric", [2953, 128, 3081], { numMode: "decimal" }],
      ["2023", "Numeric", [2965, 130, 3095], { numMode: "decimal" }],
    ],
    ambiguous: ["2022", "2023"],
  },
  {
    name: "World Bank: lines of names and values above, delimiters at their ends, years as names, codes",
    file: "API_SP.POP.TOTL.csv",
    encoding: "utf-8 with mark",
    content: [
      '"Data Source","World Development Indicators",',
      "",
      '"Last Updated Date","2024-06-28",',
      "",
      '"Country Name","Country Code","Indicator Name","Indicator Code","2020","2021","2022",',
      '"Aruba","ABW","Population, total","SP.POP.TOTL","108587","107700","107310",',
      '"Angola","AGO","Population, total","SP.POP.TOTL","33451132","34532429","",',
    ],
    columns: [
      ["Country Name", "Text", ["Aruba", "Angola"]],
      ["Country Code", "Text", ["ABW", "AGO"]],
      ["Indicator Name", "Text", ["Population, total", "Population, total"]],
      ["Indicator Code", "Text", ["SP.POP.TOTL", "SP.POP.TOTL"]],
      ["2020", "Numeric", [108587, 33451132], {}],
      ["2021", "Numeric", [107700, 34532429], {}],
      ["2022", "Numeric", [107310, null], {}],
    ],
    dropped: 2,
    blankLines: 2,
  },
  {
    name: "Jira: several columns of one name, names of months between slashes, versions, estimates in seconds",
    file: "Jira.csv",
    content: [
      "Summary,Issue key,Fix versions,Labels,Labels,Created,Original Estimate",
      "Crash on start,APP-12,1.9,ui,urgent,31/Jan/24 1:05 PM,28800",
      '"Login, again",APP-13,1.10,,,05/Feb/24 9:30 AM,',
    ],
    columns: [
      ["Summary", "Text", ["Crash on start", "Login, again"]],
      ["Issue key", "Text", ["APP-12", "APP-13"]],
      ["Fix versions", "Text", ["1.9", "1.10"]],
      ["Labels", "Text", ["ui", ""]],
      ["Labels", "Text", ["urgent", ""]],
      [
        "Created",
        "DateTime:UTC",
        ["2024-01-31T13:05:00Z", "2024-02-05T09:30:00Z"],
        { dateFormat: "DD/MMM/YY", timeFormat: "h:mm A" },
      ],
      ["Original Estimate", "Numeric", [28800, null]],
    ],
  },
  {
    name: "Access: texts in quotes, dates with midnight, comma for decimals, True as -1",
    file: "Bestellungen.txt",
    language: "de-DE",
    encoding: "windows-1252",
    content: [
      '"Nr";"Kunde";"Datum";"Betrag";"Bezahlt"',
      '1;"Bäcker ""Süß""";31.1.2024 00:00:00;1234,50;-1',
      '2;"Müller; Söhne";5.2.2024 00:00:00;0,99;0',
    ],
    columns: [
      ["Nr", "Numeric", [1, 2]],
      ["Kunde", "Text", ['Bäcker "Süß"', "Müller; Söhne"]],
      [
        "Datum",
        "DateTime:UTC",
        ["2024-01-31T00:00:00Z", "2024-02-05T00:00:00Z"],
        { dateFormat: "D.M.YYYY", timeFormat: "HH:mm:ss" },
      ],
      ["Betrag", "Numeric", [1234.5, 0.99], { decimals: 2 }],
      ["Bezahlt", "Numeric", [-1, 0]],
    ],
  },
  {
    name: "DATEV: a line about the file above the header, which the request names",
    file: "EXTF_Buchungsstapel.csv",
    language: "de-DE",
    encoding: "windows-1252",
    choices: { header: "2" },
    content: [
      '"EXTF";700;21;"Buchungsstapel";12;20240201131415000;"";"RE";"";"";1001;456',
      "Umsatz (ohne Soll/Haben-Kz);Soll/Haben-Kennzeichen;Konto;Gegenkonto (ohne BU-Schlüssel);Belegdatum;Belegfeld 1;Buchungstext",
      '1190,00;"S";10000;8400;"3101";"RE-0815";"Büromöbel"',
      '59,50;"H";1200;4930;"0502";"RE-0816";"Porto"',
    ],
    columns: [
      ["Umsatz (ohne Soll/Haben-Kz)", "Numeric", [1190, 59.5], { decimals: 2 }],
      ["Soll/Haben-Kennzeichen", "Text", ["S", "H"]],
      ["Konto", "Numeric", [10000, 1200]],
      ["Gegenkonto (ohne BU-Schlüssel)", "Numeric", [8400, 4930]],
      ["Belegdatum", "Text", ["3101", "0502"]],
      ["Belegfeld 1", "Text", ["RE-0815", "RE-0816"]],
      ["Buchungstext", "Text", ["Büromöbel", "Porto"]],
    ],
    dropped: 1,
  },
  {
    name: "a file of two hands: a column with points against columns with commas",
    file: "gemischt.csv",
    language: "de-DE",
    content: ["Messung;Soll;Ist;Alt", "a;1,5;1,55;1.45", "b;2,5;2,45;2.75"],
    columns: [
      ["Messung", "Text", ["a", "b"]],
      ["Soll", "Numeric", [1.5, 2.5]],
      ["Ist", "Numeric", [1.55, 2.45]],
      ["Alt", "Text", ["1.45", "2.75"]],
    ],
  },
];

test.each(SHAPES)("$name", (shape) => server.check(shape));
