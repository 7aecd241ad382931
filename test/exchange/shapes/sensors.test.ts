/** Logs of sensors, instruments and vehicles. */
import { afterAll, beforeAll, test } from "bun:test";
import { type Shape, ShapeServer } from "./shape.ts";

let server: ShapeServer;
beforeAll(async () => {
  server = await ShapeServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

const SHAPES: readonly Shape[] = [
  {
    name: "ISO times with Z and fractions of seconds",
    file: "telemetry.csv",
    content: [
      "time,device,temperature,humidity",
      "2024-01-31T13:05:12.250Z,sensor-01,21.50,45.2",
      "2024-01-31T13:05:13.500Z,sensor-01,21.55,45.1",
    ],
    columns: [
      ["time", "DateTime:UTC", ["2024-01-31T13:05:12.250Z", "2024-01-31T13:05:13.500Z"]],
      ["device", "Text", ["sensor-01", "sensor-01"]],
      ["temperature", "Numeric", [21.5, 21.55], { decimals: 2 }],
      ["humidity", "Numeric", [45.2, 45.1], { decimals: 1 }],
    ],
  },
  {
    name: "Grafana in Germany: sep=, offsets of summer and winter",
    file: "Power-data.csv",
    language: "de-DE",
    content: [
      "sep=;",
      '"Zeit";"Leistung";"Ladung"',
      "2024-03-31T01:30:00+01:00;1523,4;87%",
      "2024-03-31T03:30:00+02:00;1498,75;86%",
    ],
    columns: [
      ["Zeit", "DateTime:UTC", ["2024-03-31T00:30:00Z", "2024-03-31T01:30:00Z"]],
      ["Leistung", "Numeric", [1523.4, 1498.75]],
      ["Ladung", "Numeric", [0.87, 0.86], { numMode: "percent" }],
    ],
    notes: { delimiter: ";" },
  },
  {
    name: "seconds and milliseconds since 1970, which stay numbers",
    file: "events.csv",
    content: ["ts,ts_ms,value", "1706706312,1706706312123,0.5", "1706706313,1706706313123,-0.25"],
    columns: [
      ["ts", "Numeric", [1706706312, 1706706313], {}],
      ["ts_ms", "Numeric", [1706706312123, 1706706313123], {}],
      ["value", "Numeric", [0.5, -0.25]],
    ],
  },
  {
    name: "missing values as n/a and dashes, one reading that is none",
    file: "station.csv",
    content: [
      "date,t_min,t_max,rain",
      ...["01", "02", "03", "04", "05", "06", "07", "08", "09"].map((day) => `2024-01-${day},-1.5,4.5,0.2`),
      "2024-01-10,n/a,-,ERR",
    ],
    columns: [
      ["date", "Date", Array.from({ length: 10 }, (_, at) => `2024-01-${String(at + 1).padStart(2, "0")}`)],
      ["t_min", "Numeric", [...Array<number>(9).fill(-1.5), null]],
      ["t_max", "Numeric", [...Array<number>(9).fill(4.5), null]],
      ["rain", "Numeric", [...Array<number>(9).fill(0.2), "ERR"]],
    ],
    unconverted: { rain: 1 },
  },
  {
    name: "HOBO logger: a title, commas in quoted names, month first with halves of the day",
    file: "10347534.csv",
    encoding: "utf-8 with mark",
    content: [
      '"Plot Title: Greenhouse"',
      '"#","Date Time, GMT-05:00","Temp, °F (LGR S/N: 10347534)","Host Connected"',
      "1,01/31/24 01:05:00 PM,72.538,",
      "2,01/31/24 01:10:00 PM,72.495,Logged",
    ],
    columns: [
      ["#", "Numeric", [1, 2]],
      [
        "Date Time, GMT-05:00",
        "DateTime:UTC",
        ["2024-01-31T13:05:00Z", "2024-01-31T13:10:00Z"],
        { dateFormat: "MM/DD/YY", timeFormat: "hh:mm:ss A" },
      ],
      ["Temp, °F (LGR S/N: 10347534)", "Numeric", [72.538, 72.495]],
      ["Host Connected", "Text", ["", "Logged"]],
    ],
    dropped: 1,
    ambiguous: ["Temp, °F (LGR S/N: 10347534)"],
  },
  {
    name: "DWD: cells padded with blanks, days of eight digits, a mark at the end of each line",
    file: "produkt_klima_tag_00433.txt",
    language: "de-DE",
    content: [
      "STATIONS_ID;MESS_DATUM;QN_3;  FX;  FM;eor",
      "        433;20240101;   10;  13.8;   5.4;eor",
      "        433;20240102;   10;  -999;   4.9;eor",
    ],
    choices: { header: "1" },
    columns: [
      ["STATIONS_ID", "Numeric", [433, 433]],
      ["MESS_DATUM", "Numeric", [20240101, 20240102]],
      ["QN_3", "Numeric", [10, 10]],
      ["FX", "Numeric", [13.8, -999]],
      ["FM", "Numeric", [5.4, 4.9]],
      ["eor", "Text", ["eor", "eor"]],
    ],
  },
  {
    name: "a German data logger: units in names, dates and times of day apart, decimal commas",
    file: "Messung 3.csv",
    language: "de-DE",
    encoding: "windows-1252",
    content: [
      "Nr.;Datum;Uhrzeit;Temperatur [°C];Druck [µbar]",
      "1;31.01.2024;13:05:12;21,50;1.013.250",
      "2;31.01.2024;13:05:13;-0,75;1.013.251",
    ],
    columns: [
      ["Nr.", "Numeric", [1, 2]],
      ["Datum", "Date", ["2024-01-31", "2024-01-31"]],
      ["Uhrzeit", "Text", ["13:05:12", "13:05:13"]],
      ["Temperatur [°C]", "Numeric", [21.5, -0.75], { decimals: 2 }],
      ["Druck [µbar]", "Numeric", [1013250, 1013251], { numMode: "decimal" }],
    ],
  },
  {
    name: "no header: numbers from the first line, UNIX line ends, no line break at the end",
    file: "serial.txt",
    content: "12,23.5,45\n13,23.6,44\n14,23.4,44",
    columns: [
      ["A", "Numeric", [12, 13, 14]],
      ["B", "Numeric", [23.5, 23.6, 23.4]],
      ["C", "Numeric", [45, 44, 44]],
    ],
    notes: { header: 0 },
  },
  {
    name: "GPS track: coordinates with many decimals, scientific numbers, degrees that look like groups",
    file: "track.csv",
    content: [
      "lat,lon,ele,hdop,drift",
      "52.520008,13.404954,34.125,0.9,1.25E-05",
      "-33.868820,151.209290,58.500,1.1,-3.5E-06",
    ],
    columns: [
      ["lat", "Numeric", [52.520008, -33.86882], { decimals: 6 }],
      ["lon", "Numeric", [13.404954, 151.20929], { decimals: 6 }],
      ["ele", "Numeric", [34.125, 58.5], { decimals: 3 }],
      ["hdop", "Numeric", [0.9, 1.1]],
      ["drift", "Numeric", [0.0000125, -0.0000035], { numMode: "scientific", maxDecimals: 2 }],
    ],
    ambiguous: ["ele"],
  },
  {
    name: "Fitbit: thousands with commas in quotes, which only the locale tells from decimals",
    file: "fitbit_export_20240131.csv",
    content: [
      "Activities",
      "Date,Calories Burned,Steps,Distance",
      '"01-31-2024","2,134","10,512","4.82"',
      '"01-02-2024","1,987","9,004","4.10"',
    ],
    columns: [
      ["Date", "Date", ["2024-01-31", "2024-01-02"], { dateFormat: "MM-DD-YYYY" }],
      ["Calories Burned", "Numeric", [2134, 1987], { numMode: "decimal" }],
      ["Steps", "Numeric", [10512, 9004], { numMode: "decimal" }],
      ["Distance", "Numeric", [4.82, 4.1], { decimals: 2 }],
    ],
    dropped: 1,
    ambiguous: ["Calories Burned", "Steps"],
  },
];

test.each(SHAPES)("$name", (shape) => server.check(shape));
